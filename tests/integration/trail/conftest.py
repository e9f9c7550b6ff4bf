from tests.integration.backups.conftest import tools
from tests.integration.cli.conftest import carrete

__all__ = ["carrete", "tools"]
