"""Changes to the files of an archive that a stranger could make."""

import json


def set_field(path: tuple, value):
    def change(files: dict[str, bytes]) -> None:
        name, *keys = path
        data = json.loads(files[name])
        place = data
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value
        files[name] = json.dumps(data).encode()

    return change


def add(name: str, data: bytes = b""):
    return lambda files: files.__setitem__(name, data)


def places(data, path=()):
    """Yields the path of every value in JSON data."""
    yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from places(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data[:2]):
            yield from places(value, (*path, index))
