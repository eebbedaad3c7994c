"""Capacity reservations and placement groups, which moto lacks."""

import itertools
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response
from moto.ec2.utils import convert_tag_spec

_numbers = itertools.count(1)
_reservations: dict[str, dict[str, Any]] = {}
_groups: dict[str, dict[str, Any]] = {}
DEAD = ("shutting-down", "terminated")


def install() -> None:
    EC2Response.create_capacity_reservation = _create_reservation
    EC2Response.describe_capacity_reservations = _describe_reservations
    EC2Response.cancel_capacity_reservation = _cancel_reservation
    EC2Response.create_placement_group = _create_group
    EC2Response.describe_placement_groups = _describe_groups


def target_of(data: dict[str, Any]) -> str | None:
    """The reservation that a launch template aims at."""
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    return target.get("CapacityReservationId")


def take(backend: Any, data: dict[str, Any], zone: str) -> str | None:
    """The reservation of an instance. Refuses one that does not exist, is of another kind, or is full."""
    wanted = target_of(data)
    if wanted is None:
        return None
    reservation = _reservations.get(wanted)
    if reservation is None or reservation["State"] != "active":
        raise EC2ClientError("InvalidCapacityReservationId.NotFound", f"The capacity reservation {wanted} is not there.")
    if (reservation["InstanceType"], reservation["AvailabilityZone"]) != (data["InstanceType"], zone):
        message = f"{wanted} is of {reservation['InstanceType']} in {reservation['AvailabilityZone']}."
        raise EC2ClientError("InvalidParameterValue", message)
    if _available(backend, reservation) < 1:
        raise EC2ClientError("ReservationCapacityExceeded", f"The capacity reservation {wanted} is full.")
    return wanted


def group_name(placement: dict[str, Any]) -> str | None:
    """The placement group that a launch template names, by name or by id."""
    by_id = {each["GroupId"]: name for name, each in _groups.items()}
    return placement.get("GroupName") or by_id.get(placement.get("GroupId"))


def _available(backend: Any, reservation: dict[str, Any]) -> int:
    name = reservation["CapacityReservationId"]
    used = sum(
        getattr(instance, "capacity_reservation_id", None) == name and instance.state not in DEAD
        for instance in backend.all_instances()
    )
    return reservation["TotalInstanceCount"] - used


def _create_reservation(self: Any) -> ActionResult:
    self.error_on_dryrun()
    count = int(self._get_param("InstanceCount"))
    name = f"cr-{next(_numbers):017x}"
    _reservations[name] = {
        "CapacityReservationId": name,
        "OwnerId": self.current_account,
        "CapacityReservationArn": f"arn:aws:ec2:{self.region}:{self.current_account}:capacity-reservation/{name}",
        "InstanceType": self._get_param("InstanceType"),
        "InstancePlatform": self._get_param("InstancePlatform"),
        "AvailabilityZone": self._get_param("AvailabilityZone"),
        "Tenancy": self._get_param("Tenancy", "default"),
        "TotalInstanceCount": count,
        "AvailableInstanceCount": count,
        "State": "active",
        "StartDate": utcnow(),
        "CreateDate": utcnow(),
        "EndDate": self._get_param("EndDate"),
        "EndDateType": self._get_param("EndDateType", "unlimited"),
        "InstanceMatchCriteria": self._get_param("InstanceMatchCriteria", "open"),
        "ReservationType": "default",
        "Tags": _tags(self, "capacity-reservation"),
    }
    return ActionResult({"CapacityReservation": _reservations[name]})


def _describe_reservations(self: Any) -> ActionResult:
    self.error_on_dryrun()
    ids = self._get_param("CapacityReservationIds", [])
    unknown = [name for name in ids if name not in _reservations]
    if unknown:
        raise EC2ClientError("InvalidCapacityReservationId.NotFound", f"The capacity reservation {unknown} is not there.")
    paths = {
        "instance-type": "InstanceType",
        "state": "State",
        "owner-id": "OwnerId",
        "availability-zone": "AvailabilityZone",
        "instance-match-criteria": "InstanceMatchCriteria",
        "tenancy": "Tenancy",
    }
    found = [
        each | {"AvailableInstanceCount": _available(self.ec2_backend, each)}
        for name, each in _reservations.items()
        if (not ids or name in ids) and _matches(self._filters_from_querystring(), each, paths)
    ]
    return ActionResult({"CapacityReservations": found})


def _cancel_reservation(self: Any) -> ActionResult:
    self.error_on_dryrun()
    _reservations[self._get_param("CapacityReservationId")]["State"] = "cancelled"
    return ActionResult({"Return": True})


def _create_group(self: Any) -> ActionResult:
    self.error_on_dryrun()
    name = self._get_param("GroupName")
    _groups[name] = {
        "GroupName": name,
        "GroupId": f"pg-{next(_numbers):017x}",
        "State": "available",
        "Strategy": self._get_param("Strategy"),
        "PartitionCount": self._get_param("PartitionCount"),
        "SpreadLevel": self._get_param("SpreadLevel"),
        "Tags": _tags(self, "placement-group"),
    }
    return ActionResult({"PlacementGroup": _groups[name]})


def _describe_groups(self: Any) -> ActionResult:
    self.error_on_dryrun()
    names = self._get_param("GroupNames", [])
    ids = self._get_param("GroupIds", [])
    known = {each["GroupId"] for each in _groups.values()}
    unknown = [name for name in names if name not in _groups] + [each for each in ids if each not in known]
    if unknown:
        raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The Placement Group '{unknown[0]}' is unknown.")
    paths = {"group-name": "GroupName", "state": "State", "strategy": "Strategy", "group-id": "GroupId"}
    found = [
        each
        for each in _groups.values()
        if (not names or each["GroupName"] in names)
        and (not ids or each["GroupId"] in ids)
        and _matches(self._filters_from_querystring(), each, paths)
    ]
    return ActionResult({"PlacementGroups": found})


def _tags(call: Any, kind: str) -> list[dict[str, str]]:
    specification = convert_tag_spec(call._get_param("TagSpecifications", []))
    return [{"Key": key, "Value": value} for key, value in specification.get(kind, {}).items()]


def _matches(filters: dict[str, Any], item: dict[str, Any], paths: dict[str, str]) -> bool:
    tags = {tag["Key"]: tag["Value"] for tag in item["Tags"]}
    for name, values in filters.items():
        if name == "tag-key":
            if not any(value in tags for value in values):
                return False
        elif name.startswith("tag:"):
            if tags.get(name.removeprefix("tag:")) not in values:
                return False
        elif name not in paths:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid.")
        elif item[paths[name]] not in values:
            return False
    return True
