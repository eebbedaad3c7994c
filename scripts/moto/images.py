"""
The images that EKS publishes and the parameters that name them (C64), for the Kubernetes versions of VERSIONS, each in a
release of July and one of June 2026, of which the older is deprecated for AL2023; and RegisterImage, whose tags and
architecture moto drops.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami
from moto.ec2.responses.amis import AmisResponse
from moto.ec2.utils import convert_tag_spec
from moto.ssm.models import Parameter, ssm_backends

ACCOUNT = "123456789012"
REGION = "us-east-1"
VERSIONS = ("1.32", "1.33", "1.34", "1.35")
# C65: EKS has made no AL2 images since 1.33.
LAST_AL2 = "1.32"
EKS = "/aws/service/eks/optimized-ami"
JUNE, JULY = datetime(2026, 6, 1), datetime(2026, 7, 1)
RELEASES = (("v20260601", JUNE), ("v20260701", JULY))
ARCHITECTURES = ("x86_64", "arm64")


def install() -> None:
    AmisResponse.register_image = _register_image
    for version in VERSIONS:
        _al2023(version)
        if version == LAST_AL2:
            _al2(version)
        _bottlerocket(version)
        _windows(version)


def _al2023(version: str) -> None:
    variants = [("x86_64", "standard"), ("arm64", "standard"), ("x86_64", "nvidia"), ("arm64", "nvidia"), ("x86_64", "neuron")]
    for architecture, variant in variants:
        folder = f"{EKS}/{version}/amazon-linux-2023/{architecture}/{variant}"
        for release, made in RELEASES:
            name = f"amazon-eks-node-al2023-{architecture}-{variant}-{version}-{release}"
            image = _image(name, architecture, made)
            if made == JUNE:
                image.deprecation_time = "2026-07-15T00:00:00.000Z"
            _parameter(f"{folder}/{name}/image_id", image.id)
        _parameter(f"{folder}/recommended/image_id", image.id)


def _al2(version: str) -> None:
    for suffix, prefix, architecture in (("", "", "x86_64"), ("-arm64", "arm64-", "arm64"), ("-gpu", "gpu-", "x86_64")):
        folder = f"{EKS}/{version}/amazon-linux-2{suffix}"
        for release, made in RELEASES:
            name = f"amazon-eks-{prefix}node-{version}-{release}"
            image = _image(name, architecture, made)
            _parameter(f"{folder}/{name}/image_id", image.id)
        _parameter(f"{folder}/recommended/image_id", image.id)


def _bottlerocket(version: str) -> None:
    for variant in ("", "-nvidia"):
        for architecture in ARCHITECTURES:
            folder = f"/aws/service/bottlerocket/aws-k8s-{version}{variant}/{architecture}"
            for release, made in (("1.43.0", JUNE), ("1.44.0", JULY)):
                image = _image(f"bottlerocket-aws-k8s-{version}{variant}-{architecture}-v{release}-0abc1234", architecture, made)
                _parameter(f"{folder}/{release}/image_id", image.id)
                _parameter(f"{folder}/{release}-0abc1234/image_id", image.id)
            _parameter(f"{folder}/latest/image_id", image.id)


def _windows(version: str) -> None:
    # C65: Windows 2025 needs 1.35.
    years = ("2019", "2022", "2025") if version == "1.35" else ("2019", "2022")
    for year in years:
        for edition in ("Core", "Full"):
            stem = f"Windows_Server-{year}-English-{edition}-EKS_Optimized-{version}"
            for release, made in (("2026.06.10", JUNE), ("2026.07.08", JULY)):
                image = _image(f"{stem}-{release}", "x86_64", made, platform="windows")
                _parameter(f"/aws/service/ami-windows-latest/{stem}-{release}/image_id", image.id)
            _parameter(f"/aws/service/ami-windows-latest/{stem}/image_id", image.id)


def _image(name: str, architecture: str, made: datetime, platform: str | None = None) -> Ami:
    """The id is computed from the name, so it is the same in every run."""
    backend = ec2_backends[ACCOUNT][REGION]
    image_id = f"ami-{hashlib.sha256(name.encode()).hexdigest()[:17]}"
    backend.amis[image_id] = Ami(
        backend,
        image_id,
        name=name,
        description=name,
        owner_id="602401143452",
        owner_alias="amazon",
        public=True,
        virtualization_type="hvm",
        architecture=architecture,
        platform=platform,
        creation_date=made,
        root_device_type="ebs",
        root_device_name="/dev/xvda",
        hypervisor="xen",
        region_name=f"{REGION}a",
    )
    return backend.amis[image_id]


def _parameter(name: str, value: str) -> None:
    stored = Parameter(
        account_id=ACCOUNT,
        name=name,
        value=value,
        parameter_type="String",
        description=None,
        allowed_pattern=None,
        keyid=None,
        last_modified_date=utcnow(),
        version=1,
        data_type="text",
    )
    ssm_backends[ACCOUNT][REGION]._parameters[name].append(stored)


def _register_image(self: Any) -> ActionResult:
    self.error_on_dryrun()
    image = self.ec2_backend.register_image(self._get_param("Name"), self._get_param("Description", ""))
    image.architecture = self._get_param("Architecture", "x86_64")
    image.root_device_name = self._get_param("RootDeviceName", "/dev/xvda")
    image.virtualization_type = self._get_param("VirtualizationType", "hvm")
    # Two images never have the same time, because Kerf selects the newest.
    image.creation_date = utcnow() + timedelta(milliseconds=len(self.ec2_backend.amis))
    image.add_tags(convert_tag_spec(self._get_param("TagSpecifications", [])).get("image", {}))
    return ActionResult({"ImageId": image.id})
