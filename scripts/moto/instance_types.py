"""
Lists in pages, as EC2 gives them (moto gives all at once), and spot prices that are prices.

The types themselves are moto's: real captured answers. Filtering 1,395 of them takes moto seconds, so each filter's answer
is kept.
"""

import json
from datetime import datetime, timedelta
from typing import Any, Callable

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.spot_instances import SpotInstances

from prices import Prices

DESCRIPTIONS = ("Linux/UNIX (Amazon VPC)", "Linux/UNIX", "Windows (Amazon VPC)")
_kept: dict[str, list[Any]] = {}


def install(prices: Prices) -> None:
    def describe_instance_types(self: Any) -> ActionResult:
        names = self._get_param("InstanceTypes", [])
        filters = self._filters_from_querystring()
        key = json.dumps([sorted(names), filters], sort_keys=True)
        found = _keep(key, lambda: self.ec2_backend.describe_instance_types(names, filters))
        return ActionResult(_page(self, "InstanceTypes", found, most=100))

    def describe_instance_type_offerings(self: Any) -> ActionResult:
        where = self._get_param("LocationType")
        filters = self._filters_from_querystring()
        found = self.ec2_backend.describe_instance_type_offerings(where, filters)
        return ActionResult(_page(self, "InstanceTypeOfferings", found, most=1_000))

    def describe_spot_price_history(self: Any) -> ActionResult:
        wanted = set(self._get_param("InstanceTypes", []))
        described = self._get_param("ProductDescriptions", []) or DESCRIPTIONS
        found = [
            line
            for line in _history(prices, self.region, self._get_param("StartTime"))
            if line["ProductDescription"] in described and (not wanted or line["InstanceType"] in wanted)
        ]
        return ActionResult(_page(self, "SpotPriceHistory", found, most=1_000))

    InstanceResponse.describe_instance_types = describe_instance_types
    InstanceResponse.describe_instance_type_offerings = describe_instance_type_offerings
    SpotInstances.describe_spot_price_history = describe_spot_price_history


def _keep(key: str, make: Callable[[], list[Any]]) -> list[Any]:
    if key not in _kept:
        _kept[key] = make()
    return _kept[key]


def _page(call: Any, field: str, found: list[Any], most: int) -> dict[str, Any]:
    """EC2 ends some lists with an empty token; so does this."""
    token = call._get_param("NextToken")
    try:
        first = int(token) if token else 0
    except ValueError:
        raise EC2ClientError("InvalidNextToken", f"The token '{token}' is invalid.") from None
    asked = call._get_param("MaxResults")
    last = first + (min(int(asked), most) if asked else len(found))
    return {field: found[first:last], "NextToken": str(last) if last < len(found) else ""}


def _history(prices: Prices, region: str, start: datetime | None) -> list[dict[str, Any]]:
    """
    Each place's price in force, and before it one that was in force until yesterday: a history that begins now holds
    just the first.
    """
    lines = []
    now = utcnow()
    since = start.replace(tzinfo=None) if isinstance(start, datetime) else now
    for offering in INSTANCE_TYPE_OFFERINGS["availability-zone"][region]:
        name, zone = offering["InstanceType"], offering["Location"]
        price = prices.spot(name, zone)
        if price is None:
            continue
        for description in DESCRIPTIONS:
            now_price = price * (1.8 if description.startswith("Windows") else 1)
            line = {"InstanceType": name, "AvailabilityZone": zone, "ProductDescription": description}
            lines.append(line | {"SpotPrice": f"{now_price:.6f}", "Timestamp": now - timedelta(hours=2)})
            if since < now - timedelta(days=1):
                lines.append(line | {"SpotPrice": f"{now_price * 1.2:.6f}", "Timestamp": now - timedelta(days=2)})
    return lines
