"""IAM: profiles are listed by path, which moto ignores."""

from typing import Any

from moto.core.responses import ActionResult
from moto.iam.responses import IamResponse


def install() -> None:
    def list_instance_profiles(self: Any) -> ActionResult:
        prefix = self._get_param("PathPrefix", "/")
        found = [each for each in self.backend.get_instance_profiles() if each.path.startswith(prefix)]
        return ActionResult({"InstanceProfiles": found, "IsTruncated": False})

    IamResponse.list_instance_profiles = list_instance_profiles
