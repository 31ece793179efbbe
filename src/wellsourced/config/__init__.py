"""Settings, and the opening of what they name. Only this folder names implementations or reads the environment; what it
opens knows nothing of settings."""

from wellsourced.config.context import open_context, open_source
from wellsourced.config.egress import LEDGER_FILE, HostTraffic, read_traffic
from wellsourced.config.encoders import build_encoder, build_reranker
from wellsourced.config.graph import graph_path, open_graph
from wellsourced.config.guidelines import guidelines_release
from wellsourced.config.libraries import (
    create_library,
    delete_library,
    describe_backlog,
    library_bytes,
    library_encoder_name,
    open_library,
)
from wellsourced.config.loader import (
    Setting,
    check_setting_names,
    describe_settings,
    explain_settings,
    load,
    wants_colours,
)
from wellsourced.config.models import ModelTrial, try_models
from wellsourced.config.network import (
    build_live_source,
    describe_live_sources,
    describe_missing_setup,
    open_client,
    open_page,
    open_registries,
)
from wellsourced.config.paths import GUIDELINES, find_exposed_files, library_names, restrict_home_access
from wellsourced.config.settings import LIVE_SOURCES, LiveSourceName, NetworkSettings, ServiceSettings, Settings
from wellsourced.config.settings_files import (
    FolderFile,
    Preset,
    UntrustedSettings,
    find_preset,
    find_settings_files,
    flatten_tables,
    list_presets,
    read_folder_file,
)
from wellsourced.config.trust import SETTINGS_FILE, read_settings_file, read_trusted_folders, trust_file, withdraw_trust
from wellsourced.privacy import PhiPolicy

__all__ = [
    "GUIDELINES",
    "LEDGER_FILE",
    "LIVE_SOURCES",
    "SETTINGS_FILE",
    "FolderFile",
    "HostTraffic",
    "LiveSourceName",
    "ModelTrial",
    "NetworkSettings",
    "PhiPolicy",
    "Preset",
    "ServiceSettings",
    "Setting",
    "Settings",
    "UntrustedSettings",
    "build_encoder",
    "build_live_source",
    "build_reranker",
    "check_setting_names",
    "create_library",
    "delete_library",
    "describe_backlog",
    "describe_live_sources",
    "describe_missing_setup",
    "describe_settings",
    "explain_settings",
    "find_exposed_files",
    "find_preset",
    "find_settings_files",
    "flatten_tables",
    "graph_path",
    "guidelines_release",
    "library_bytes",
    "library_encoder_name",
    "library_names",
    "list_presets",
    "load",
    "open_client",
    "open_context",
    "open_graph",
    "open_library",
    "open_page",
    "open_registries",
    "open_source",
    "read_folder_file",
    "read_settings_file",
    "read_traffic",
    "read_trusted_folders",
    "restrict_home_access",
    "trust_file",
    "try_models",
    "wants_colours",
    "withdraw_trust",
]
