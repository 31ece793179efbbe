"""Settings, and what they describe: the only place that names implementations or reads the environment."""

from wellsourced.config.backlogs import describe_backlog
from wellsourced.config.egress import LEDGER, Traffic, traffic
from wellsourced.config.encoding import encoder_of, ranker_of
from wellsourced.config.files import FolderFile, UntrustedSettings, flat, read_folder_file, settings_files
from wellsourced.config.graph import graph_path, open_graph
from wellsourced.config.guidelines import guidelines_release
from wellsourced.config.home import close_home, open_at_home
from wellsourced.config.kits import kit, open_source
from wellsourced.config.libraries import (
    create_library,
    delete_library,
    encoder_name,
    library_bytes,
    open_library,
)
from wellsourced.config.load import Setting, check_names, colours, explain, known, load
from wellsourced.config.models import Tried, tried_models
from wellsourced.config.network import lacking, live_source, open_client, open_registries
from wellsourced.config.pages import page_named
from wellsourced.config.presets import Preset, preset, presets
from wellsourced.config.settings import LIVE, Live, Network, Service, Settings
from wellsourced.config.shelves import GUIDELINES, library_names
from wellsourced.config.trust import FILE, read_settings_file, trust_file, trusted_folders, withdraw_trust
from wellsourced.privacy import PhiPolicy

__all__ = [
    "FILE",
    "GUIDELINES",
    "LEDGER",
    "LIVE",
    "FolderFile",
    "Live",
    "Network",
    "PhiPolicy",
    "Preset",
    "Service",
    "Setting",
    "Settings",
    "Traffic",
    "Tried",
    "UntrustedSettings",
    "check_names",
    "close_home",
    "colours",
    "create_library",
    "delete_library",
    "describe_backlog",
    "encoder_name",
    "encoder_of",
    "explain",
    "flat",
    "graph_path",
    "guidelines_release",
    "kit",
    "known",
    "lacking",
    "library_bytes",
    "library_names",
    "live_source",
    "load",
    "open_at_home",
    "open_client",
    "open_graph",
    "open_library",
    "open_registries",
    "open_source",
    "page_named",
    "preset",
    "presets",
    "ranker_of",
    "read_folder_file",
    "read_settings_file",
    "settings_files",
    "traffic",
    "tried_models",
    "trust_file",
    "trusted_folders",
    "withdraw_trust",
]
