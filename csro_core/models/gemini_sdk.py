"""The client of google-genai, made so that nothing but its arguments decides where a request goes.

The HTTP client is ours, because the SDK's own depends on the environment and on what is installed.
"""

import logging
import re
import ssl
import warnings
import weakref
from urllib.parse import urlsplit

import httpx2
from google import genai
from google.genai import types
from google.genai.client import DebugConfig

from csro_core.errors import UsageError
from csro_core.models.lines import watch
from csro_core.models.names import is_loopback

CONNECT_SECONDS = 20.0
SHORTEST_TIMEOUT = 10.0
"""The API refuses a deadline below 10 s, and the SDK sends its timeout as one (livekit/agents #3723)."""


def build(key: str, address: str, version: str) -> genai.Client:
    """Returns the SDK's client; every setting that the SDK would otherwise take from the environment is given."""
    silence()
    loopback = is_loopback(address)
    # Reading the certificates takes 35 ms, and the SDK would do it three times; for plain HTTP none are needed.
    plain = loopback and address.startswith("http:")
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else httpx2.create_ssl_context()
    http = httpx2.Client(
        verify=trust,
        # Loopback must not go through a proxy.
        trust_env=not loopback,
        # A redirect to another host would take the key along.
        follow_redirects=False,
        event_hooks={"request": [bound_connecting]},
        # A connection of its own for each request, so that one that is out of time can be cut and is no other's.
        limits=httpx2.Limits(max_keepalive_connections=0),
    )
    client = genai.Client(
        vertexai=False,
        api_key=key,
        debug_config=DebugConfig(client_mode="api"),
        http_options=types.HttpOptions(
            base_url=address,
            api_version=version,
            httpx_client=http,
            # Never used, but made, and SOCKS proxies of the environment would break the making.
            async_client_args={"trust_env": False, "verify": trust, "ssl": trust},
        ),
    )
    weakref.finalize(client, http.close)  # the SDK closes only what it has made
    return client


def silence() -> None:
    """Keeps the SDK from speaking of values newer than itself, which are outcomes here, and of keys it does not use."""
    warnings.filterwarnings("ignore", message=".* is not a valid", category=UserWarning, module=r"google\.genai\.")
    logging.getLogger("google_genai").setLevel(logging.ERROR)


def bound_connecting(request: httpx2.Request) -> None:
    """A server that cannot be reached is known sooner than a model has thought; the SDK has one timeout for both.

    The connection is watched, too, so that it can be cut.
    """
    request.extensions["trace"] = watch
    timeouts = request.extensions["timeout"]
    timeouts["connect"] = min(timeouts["connect"] or CONNECT_SECONDS, CONNECT_SECONDS)


def http_options(seconds: float) -> types.HttpOptions:
    """Returns the options of one request: a timeout, in the SDK's milliseconds."""
    return types.HttpOptions(timeout=int(max(seconds, SHORTEST_TIMEOUT) * 1000))


def split_version(url: str) -> tuple[str, str | None]:
    """Returns a base URL without the API version that people paste along, and that version.

    Raises:
        UsageError: the URL is none of http or https.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"a base URL must begin with http:// or https:// and name a host; got {url!r}")
    match = re.fullmatch(r"(.*?)(?:/(v\d\w*))?/*", url)
    if match is None:
        return url, None
    return match[1].rstrip("/"), match[2]
