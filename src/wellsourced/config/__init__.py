"""Settings, and the opening of what they name. Only this folder names implementations or reads the environment; what it
opens knows nothing of settings."""

from typing import TYPE_CHECKING

from wellsourced.lazy import import_lazily

if TYPE_CHECKING:
    from wellsourced.config.context import open_context, open_source
    from wellsourced.config.encoders import build_encoder
    from wellsourced.config.libraries import create_library, describe_backlog, open_graph, open_library
    from wellsourced.config.loader import (
        UntrustedSettings,
        check_setting_names,
        describe_settings,
        explain_settings,
        find_preset,
        list_presets,
        load,
        read_folder_file,
    )
    from wellsourced.config.network import open_client
    from wellsourced.config.paths import GUIDELINES, library_names
    from wellsourced.config.settings import Settings
    from wellsourced.config.trust import SETTINGS_FILE

__all__ = [
    "GUIDELINES", "SETTINGS_FILE", "Settings", "UntrustedSettings", "build_encoder", "check_setting_names",
    "create_library", "describe_backlog", "describe_settings", "explain_settings", "find_preset", "library_names",
    "list_presets", "load", "open_client", "open_context", "open_graph", "open_library", "open_source",
    "read_folder_file",
]  # fmt: skip

__getattr__ = import_lazily(
    __name__,
    {
        "wellsourced.config.context": ("open_context", "open_source"),
        "wellsourced.config.encoders": ("build_encoder",),
        "wellsourced.config.libraries": ("create_library", "describe_backlog", "open_graph", "open_library"),
        "wellsourced.config.loader": (
            "UntrustedSettings",
            "check_setting_names",
            "describe_settings",
            "explain_settings",
            "find_preset",
            "list_presets",
            "load",
            "read_folder_file",
        ),
        "wellsourced.config.network": ("open_client",),
        "wellsourced.config.paths": ("GUIDELINES", "library_names"),
        "wellsourced.config.settings": ("Settings",),
        "wellsourced.config.trust": ("SETTINGS_FILE",),
    },
)
