"""The Price List service's GetProducts, which moto lacks: one product for each type, as a JSON text like that of AWS."""

import json
from typing import Any

from prices import Prices

PAGE = 100


class PriceList:
    def __init__(self, prices: Prices) -> None:
        self._products = [_product(prices, name) for name in prices.types() if prices.on_demand(name)]

    def get_products(self, asked: dict[str, Any]) -> dict[str, Any]:
        wanted = {each["Field"]: each["Value"] for each in asked.get("Filters", [])}
        found = [
            product
            for product in self._products
            if all(product["product"]["attributes"].get(field) == value for field, value in wanted.items())
        ]
        first = int(asked.get("NextToken") or 0)
        last = first + min(int(asked.get("MaxResults") or PAGE), PAGE)
        answer: dict[str, Any] = {"FormatVersion": "aws_v1", "PriceList": [json.dumps(each) for each in found[first:last]]}
        return answer | ({"NextToken": str(last)} if last < len(found) else {})


def _product(prices: Prices, name: str) -> dict[str, Any]:
    metal = ".metal" in name
    attributes = {
        "servicecode": "AmazonEC2",
        "regionCode": prices.region,
        "instanceType": name,
        "operatingSystem": "Linux",
        # C28: AWS lists bare metal as dedicated.
        "tenancy": "Dedicated" if metal else "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "licenseModel": "No License required",
        "operation": "RunInstances",
        "usagetype": f"BoxUsage:{name}",
    }
    price = {"unit": "Hrs", "pricePerUnit": {"USD": f"{prices.on_demand(name):.10f}"}}
    return {
        "product": {"productFamily": "Compute Instance" + (" (bare metal)" if metal else ""), "attributes": attributes, "sku": name},
        "serviceCode": "AmazonEC2",
        "terms": {"OnDemand": {f"{name}.T": {"priceDimensions": {f"{name}.T.D": price}, "sku": name, "termAttributes": {}}}},
        "version": "20260701000000",
        "publicationDate": "2026-07-01T00:00:00Z",
    }
