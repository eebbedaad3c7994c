"""
DescribeInstanceStatus with the filters that moto ignores, and with the faults that tests set as rules (rules.py):

    {"kind": "impaired", "instanceId": "i-0abc", "part": "system", "since": "2026-01-31T08:00:00Z"}
    {"kind": "event", "instanceId": "i-0abc", "code": "instance-retirement"}
"""

from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses.instances import InstanceResponse

from rules import Rules


def install(rules: Rules) -> None:
    def describe_instance_status(self: Any) -> ActionResult:
        self.error_on_dryrun()
        ids = self._get_param("InstanceIds", [])
        wide = self._get_bool_param("IncludeAllInstances", False)
        instances = self.ec2_backend.get_multi_instances_by_id(ids) if ids else self.ec2_backend.all_instances()
        statuses = [_status(each, rules) for each in instances if wide or each.state == "running"]
        filters = self._filters_from_querystring()
        return ActionResult({"InstanceStatuses": [each for each in statuses if _matches(each, filters)]})

    InstanceResponse.describe_instance_status = describe_instance_status


def _status(instance: Any, rules: Rules) -> dict[str, Any]:
    events = [
        {"Code": rule["code"], "Description": rule.get("description", "said by a test")}
        for rule in rules.about("event", instance.id)
    ]
    return {
        "InstanceId": instance.id,
        "AvailabilityZone": instance.availability_zone,
        "InstanceState": {"Code": instance.state_code, "Name": instance.state},
        "InstanceStatus": _summary("instance", instance, rules),
        "SystemStatus": _summary("system", instance, rules),
        "Events": events,
    }


def _summary(part: str, instance: Any, rules: Rules) -> dict[str, Any]:
    wrong = [rule for rule in rules.about("impaired", instance.id) if rule.get("part", "instance") == part]
    if not wrong:
        return {"Status": "ok", "Details": [{"Name": "reachability", "Status": "passed"}]}
    since = wrong[0]["since"]
    return {"Status": "impaired", "Details": [{"Name": "reachability", "Status": "failed", "ImpairedSince": since}]}


def _matches(status: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    known = {
        "instance-status.status": [status["InstanceStatus"]["Status"]],
        "system-status.status": [status["SystemStatus"]["Status"]],
        "instance-state-name": [status["InstanceState"]["Name"]],
        "availability-zone": [status["AvailabilityZone"]],
        "event.code": [event["Code"] for event in status["Events"]],
    }
    for name in filters:
        if name not in known:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid.")
    return all(any(value in values for value in known[name]) for name, values in filters.items())
