"""Settings, and what they describe: the only place that names implementations or reads the environment."""

from wellsourced.config.backlogs import describe_backlog
from wellsourced.config.egress import LEDGER_FILE, HostTraffic, read_traffic
from wellsourced.config.encoding import build_encoder, build_reranker
from wellsourced.config.files import FolderFile, UntrustedSettings, flatten_tables, read_folder_file, find_settings_files
from wellsourced.config.graph import graph_path, open_graph
from wellsourced.config.guidelines import guidelines_release
from wellsourced.config.home import restrict_home_access, find_exposed_files
from wellsourced.config.kits import open_context, open_source
from wellsourced.config.libraries import (
    create_library,
    delete_library,
    library_encoder_name,
    library_bytes,
    open_library,
)
from wellsourced.config.load import Setting, check_setting_names, wants_colours, explain_settings, describe_settings, load
from wellsourced.config.models import ModelTrial, try_models
from wellsourced.config.network import describe_missing_setup, build_live_source, open_client, open_registries
from wellsourced.config.pages import open_page
from wellsourced.config.presets import Preset, find_preset, list_presets
from wellsourced.config.settings import LIVE_SOURCES, LiveSourceName, NetworkSettings, ServiceSettings, Settings
from wellsourced.config.shelves import GUIDELINES, library_names
from wellsourced.config.trust import SETTINGS_FILE, read_settings_file, trust_file, read_trusted_folders, withdraw_trust
from wellsourced.privacy import PhiPolicy

__all__ = [
    "SETTINGS_FILE",
    "GUIDELINES",
    "LEDGER_FILE",
    "LIVE_SOURCES",
    "FolderFile",
    "LiveSourceName",
    "NetworkSettings",
    "PhiPolicy",
    "Preset",
    "ServiceSettings",
    "Setting",
    "Settings",
    "HostTraffic",
    "ModelTrial",
    "UntrustedSettings",
    "check_setting_names",
    "restrict_home_access",
    "wants_colours",
    "create_library",
    "delete_library",
    "describe_backlog",
    "library_encoder_name",
    "build_encoder",
    "explain_settings",
    "flatten_tables",
    "graph_path",
    "guidelines_release",
    "open_context",
    "describe_settings",
    "describe_missing_setup",
    "library_bytes",
    "library_names",
    "build_live_source",
    "load",
    "find_exposed_files",
    "open_client",
    "open_graph",
    "open_library",
    "open_registries",
    "open_source",
    "open_page",
    "find_preset",
    "list_presets",
    "build_reranker",
    "read_folder_file",
    "read_settings_file",
    "find_settings_files",
    "read_traffic",
    "try_models",
    "trust_file",
    "read_trusted_folders",
    "withdraw_trust",
]
