"""Own Streamlit components: an editor, clicks on cells, lists of policies and attempts, saving a figure, the key ?."""

from pathlib import Path

from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

_FOLDER = Path(__file__).parent
_NAMES = ("editor", "heat_click", "policy_list", "attempt_table", "figure_save", "help_key")


def register_assets() -> None:
    """Tells the running Streamlit where the components' files lie. Cheap; called at each run of the script.

    Streamlit finds file-backed components by itself only in a distribution named like the package that holds them,
    which this project is not. So the same manifest is handed over in code; it works without any installation.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root("csro.editor") is None:
        components = [ComponentConfig(name, name) for name in _NAMES]
        manager.register_from_manifest(ComponentManifest("csro", "0", components), _FOLDER)
