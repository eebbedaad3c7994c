"""
CreateFleet of type instant as in EC2, where moto differs:

- a pool (type, zone, capacity type) may lack capacity: Errors[] beside an instance, or alone;
- the pool is chosen by price or by priority, and the answer says its zone;
- a client token names one launch: the same call again gets the same answer, another call under it is refused;
- the launch template's content reaches the instance: groups, profile, metadata options, user data, volumes, tags.
"""

import itertools
import json
import math
import threading
from typing import Any

from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS
from moto.ec2.responses.fleets import Fleets
from moto.ec2.utils import convert_tag_spec

import reservations
from prices import Prices
from rules import Rules

# EC2's limit for the overrides of one instant fleet.
MAX_OVERRIDES = 300


def install(rules: Rules, prices: Prices) -> None:
    maker = FleetMaker(rules, prices)

    def create_fleet(self: Any) -> ActionResult:
        self.error_on_dryrun()
        return ActionResult(maker.create(self))

    Fleets.create_fleet = create_fleet


class FleetMaker:
    def __init__(self, rules: Rules, prices: Prices) -> None:
        self._rules = rules
        self._prices = prices
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        # By client token: the request and the response.
        self._tokens: dict[str, tuple[str, dict[str, Any]]] = {}

    def create(self, call: Any) -> dict[str, Any]:
        token = call._get_param("ClientToken")
        asked = json.dumps(call.params, sort_keys=True, default=str)
        # One call at a time, so that two calls with one token never both launch.
        with self._lock:
            if token not in self._tokens:
                answer = self._launch(call, asked)
                if token is None:
                    return answer
                self._tokens[token] = (asked, answer)
            before, answer = self._tokens[token]
        if before != asked:
            raise EC2ClientError(
                "IdempotentParameterMismatch",
                "The client token you have provided is associated with a resource with different parameters.",
            )
        return answer

    def _launch(self, call: Any, asked: str) -> dict[str, Any]:
        if call._get_param("Type", "maintain") != "instant":
            raise EC2ClientError("InvalidParameterValue", "Kerf's launcher makes fleets of type instant alone")
        capacity = call._get_param("TargetCapacitySpecification", {})
        lifecycle = capacity.get("DefaultTargetCapacityType", "on-demand")
        pools = self._in_order(call, self._pools(call, lifecycle), lifecycle)
        tags = convert_tag_spec(call._get_param("TagSpecifications", []))
        fleet = f"fleet-{next(self._numbers):08x}-0000-4000-8000-000000000000"
        errors: list[dict[str, Any]] = []
        launched: list[dict[str, Any]] = []
        for _ in range(int(capacity["TotalTargetCapacity"])):
            for pool in pools:
                if any(pool is failed["pool"] for failed in errors):
                    continue
                try:
                    self._refuse_without_capacity(pool, asked)
                    launched.append(_entry(pool, [_run(call.ec2_backend, pool, tags, fleet).id]))
                    break
                except ServiceException as refusal:
                    errors.append({"pool": pool, "code": refusal.code, "message": refusal.message})
        return {
            "FleetId": fleet,
            "Instances": launched,
            "Errors": [
                _entry(each["pool"]) | {"ErrorCode": each["code"], "ErrorMessage": each["message"]} for each in errors
            ],
        }

    def _pools(self, call: Any, lifecycle: str) -> list[dict[str, Any]]:
        """One a line of the request, its place and its launch template's content with it."""
        backend = call.ec2_backend
        pools = []
        for config in call._get_param("LaunchTemplateConfigs", []):
            named = config["LaunchTemplateSpecification"]
            template = (
                backend.get_launch_template(named["LaunchTemplateId"])
                if "LaunchTemplateId" in named
                else backend.get_launch_template_by_name(named["LaunchTemplateName"])
            )
            version = template.get_version(named.get("Version", "$Default"))
            specification = {
                "LaunchTemplateId": template.id,
                "LaunchTemplateName": template.name,
                "Version": str(version.number),
            }
            for override in config.get("Overrides") or [{}]:
                data = version.data | override
                data |= _subnet_of(version.data, override)
                pool = {"template": specification, "data": data, "override": override, "lifecycle": lifecycle}
                pools.append(pool | {"zone": _zone_of(backend, data, override)})
        _refuse_bad_config(pools)
        return pools

    def _in_order(self, call: Any, pools: list[dict[str, Any]], lifecycle: str) -> list[dict[str, Any]]:
        options = call._get_param("SpotOptions" if lifecycle == "spot" else "OnDemandOptions", {})
        strategy = options.get("AllocationStrategy", "lowest-price")
        by_priority = "prioritized" in strategy

        def rank(pool: dict[str, Any]) -> tuple[float, float]:
            name = pool["data"]["InstanceType"]
            price = self._prices.spot(name, pool["zone"]) if lifecycle == "spot" else self._prices.on_demand(name)
            priority = float(pool["override"].get("Priority", math.inf))
            return (priority, 0.0) if by_priority else (price or math.inf, priority)

        # EC2 uses the first line with capacity. The order of lines with equal prices is stable.
        return sorted(pools, key=rank)

    def _refuse_without_capacity(self, pool: dict[str, Any], asked: str) -> None:
        place = {"instanceType": pool["data"]["InstanceType"], "zone": pool["zone"], "capacityType": pool["lifecycle"]}
        code = self._rules.missing(place, asked)
        if code is not None:
            raise EC2ClientError(code, f"We currently do not have sufficient {place['instanceType']} capacity.")


def _subnet_of(data: dict[str, Any], override: dict[str, Any]) -> dict[str, str]:
    """The subnet is named by the override or by the template's interfaces, and not by both."""
    named = {each["SubnetId"] for each in data.get("NetworkInterfaces", []) if "SubnetId" in each}
    if named and "SubnetId" in override:
        message = "Network interfaces and an instance-level subnet ID may not be specified on the same request"
        raise EC2ClientError("InvalidParameterCombination", message)
    return {"SubnetId": named.pop()} if named else {}


def _zone_of(backend: Any, data: dict[str, Any], override: dict[str, Any]) -> str | None:
    zone = override.get("AvailabilityZone")
    if "SubnetId" not in data:
        return zone
    subnet = backend.get_subnet(data["SubnetId"])
    if zone not in (None, subnet.availability_zone):
        raise EC2ClientError("InvalidFleetConfig", f"{subnet.id} is not in {zone}")
    return subnet.availability_zone


def _refuse_bad_config(pools: list[dict[str, Any]]) -> None:
    if len(pools) > MAX_OVERRIDES:
        raise EC2ClientError("InvalidParameterValue", f"{len(pools)} overrides, at most {MAX_OVERRIDES} are allowed")
    for pool in pools:
        for field in ("ImageId", "InstanceType"):
            if not pool["data"].get(field):
                raise EC2ClientError("InvalidFleetConfig", f"an override has no {field}, nor has its template")
    places = [(pool["data"]["InstanceType"], pool["data"].get("SubnetId"), pool["zone"]) for pool in pools]
    # C56: templates for one type differ by reservation, and only then may a place be named twice.
    reserved = [reservations.target_of(pool["data"]) for pool in pools]
    if len(set(zip(places, reserved))) < len(pools):
        raise EC2ClientError("InvalidFleetConfig", "The fleet configuration contains duplicate instance pools")


def _entry(pool: dict[str, Any], instance_ids: list[str] | None = None) -> dict[str, Any]:
    overrides = {**pool["override"], "InstanceType": pool["data"]["InstanceType"], "AvailabilityZone": pool["zone"]}
    entry: dict[str, Any] = {
        "LaunchTemplateAndOverrides": {"LaunchTemplateSpecification": pool["template"], "Overrides": overrides},
        "Lifecycle": "spot" if pool["lifecycle"] == "spot" else "on-demand",
    }
    if instance_ids is not None:
        entry |= {"InstanceIds": instance_ids, "InstanceType": pool["data"]["InstanceType"]}
    return entry


def _run(backend: Any, pool: dict[str, Any], tags: dict[str, dict[str, str]], fleet: str) -> Any:
    data = pool["data"]
    _refuse_what_is_not_there(backend, pool)
    reservation_id = reservations.take(backend, data, pool["zone"])
    interfaces = [{**each, "SubnetId": data.get("SubnetId")} for each in data.get("NetworkInterfaces", [])]
    groups = list(data.get("SecurityGroupIds", []))
    for interface in interfaces:
        groups += [group for group in interface.pop("Groups", []) if group not in groups]
    own_tags = convert_tag_spec(data.get("TagSpecifications", []))
    kinds = ("instance", "volume")
    started = backend.run_instances(
        image_id=data["ImageId"],
        count=1,
        user_data=data.get("UserData"),
        security_group_names=[],
        security_group_ids=groups,
        instance_type=data["InstanceType"],
        is_instance_type_default=False,
        region_name=backend.region_name,
        subnet_id=data.get("SubnetId"),
        placement=pool["zone"],
        nics=interfaces,
        key_name=data.get("KeyName"),
        metadata_options=data.get("MetadataOptions", {}),
        monitoring_state="enabled" if data.get("Monitoring", {}).get("Enabled") else "disabled",
        tags={kind: own_tags.get(kind, {}) | tags.get(kind, {}) for kind in kinds},
        **({"block_device_mappings": data["BlockDeviceMappings"]} if data.get("BlockDeviceMappings") else {}),
    )
    instance = started.instances[0]
    instance.add_tags({"aws:ec2:fleet-id": fleet, "aws:ec2launchtemplate:id": pool["template"]["LaunchTemplateId"]})
    instance.capacity_reservation_id = reservation_id
    instance.capacity_reservation_specification = data.get("CapacityReservationSpecification")
    # A capacity block, or a reservation that may be interrupted.
    instance.lifecycle = data.get("InstanceMarketOptions", {}).get("MarketType")
    if pool["lifecycle"] == "spot":
        instance.lifecycle = "spot"
        instance.spot_instance_request_id = f"sir-{instance.id[-8:]}"
    placement = data.get("Placement", {})
    instance.placement.group_name = reservations.group_name(placement) or ""
    instance.placement.tenancy = placement.get("Tenancy", "default")
    profile = data.get("IamInstanceProfile", {})
    if profile:
        backend.associate_iam_instance_profile(
            instance.id, iam_instance_profile_name=profile.get("Name"), iam_instance_profile_arn=profile.get("Arn")
        )
    return instance


def _refuse_what_is_not_there(backend: Any, pool: dict[str, Any]) -> None:
    """Errors that EC2 detects only at the launch and returns in Errors[]."""
    data = pool["data"]
    image = backend.amis.get(data["ImageId"])
    if image is None:
        raise EC2ClientError("InvalidAMIID.NotFound", f"The image id '[{data['ImageId']}]' does not exist")
    known = next((each for each in backend.instance_types if each.name == data["InstanceType"]), None)
    offered = INSTANCE_TYPE_OFFERINGS["availability-zone"][backend.region_name]
    place = (data["InstanceType"], pool["zone"])
    if known is None or all((each["InstanceType"], each["Location"]) != place for each in offered):
        message = f"Your requested instance type ({place[0]}) is not supported in your requested zone ({place[1]})."
        raise EC2ClientError("Unsupported", message)
    if image.architecture and image.architecture not in known["ProcessorInfo"]["SupportedArchitectures"]:
        message = f"The architecture '{image.architecture}' of the image does not match that of {place[0]}."
        raise EC2ClientError("InvalidParameterValue", message)
    profile = data.get("IamInstanceProfile", {}).get("Name")
    if profile is not None and not _profile_exists(backend, profile):
        raise EC2ClientError("InvalidParameterValue", f"Value ({profile}) for IAM Instance Profile name is invalid.")


def _profile_exists(backend: Any, name: str) -> bool:
    from moto.iam.models import iam_backends

    profiles = iam_backends[backend.account_id][backend.partition].get_instance_profiles()
    return any(profile.name == name for profile in profiles)
