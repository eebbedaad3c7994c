"""
Faults and missing capacity that tests request. A rule is a JSON object:

    {"kind": "missing-capacity", "instanceType": "m5.large", "zone": "us-east-1a", "capacityType": "spot",
     "code": "InsufficientInstanceCapacity"}
    {"kind": "throttle", "actions": ["CreateFleet"], "share": 0.9}
    {"kind": "lose-reply", "actions": ["CreateFleet"], "times": 1}
    {"kind": "endless-pages", "actions": ["DescribeInstanceTypes"], "circle": true}
    {"kind": "deny", "actions": ["CreateFleet"]}

and what instance_status.py says of single instances. Every field but `kind` may be left out, and then stands for all. `containing` limits a rule to requests whose body holds
that text, such as a cluster's name: so tests that run beside each other do not meet.
"""

import itertools
import random
import threading
from typing import Any

KINDS = {"missing-capacity", "throttle", "lose-reply", "endless-pages", "deny", "impaired", "event"}


class Rules:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._rules: dict[str, dict[str, Any]] = {}
        # Seeded, so that throttling is the same in every run.
        self._random = random.Random(1)

    def add(self, rule: dict[str, Any]) -> str:
        if rule.get("kind") not in KINDS:
            raise ValueError(f"kind {rule.get('kind')!r} is none of {sorted(KINDS)}")
        with self._lock:
            name = f"rule-{next(self._numbers)}"
            self._rules[name] = dict(rule)
        return name

    def remove(self, name: str | None) -> None:
        """One rule, or all of them."""
        with self._lock:
            if name is None:
                self._rules.clear()
            else:
                self._rules.pop(name, None)

    def strikes(self, kind: str, action: str, body: str) -> dict[str, Any] | None:
        """The first rule of the kind that matches this call, counted as used."""
        with self._lock:
            for rule in self._rules.values():
                if rule["kind"] != kind or not _meets(rule, body):
                    continue
                if rule.get("actions") and action not in rule["actions"]:
                    continue
                if rule.get("times") == 0 or self._random.random() >= rule.get("share", 1):
                    continue
                if "times" in rule:
                    rule["times"] -= 1
                return rule
        return None

    def about(self, kind: str, instance_id: str) -> list[dict[str, Any]]:
        """The rules for one instance."""
        with self._lock:
            return [rule for rule in self._rules.values() if rule["kind"] == kind and rule["instanceId"] == instance_id]

    def missing(self, pool: dict[str, str], body: str) -> str | None:
        """The error code for a pool (type, zone, capacity type) that has no capacity now."""
        with self._lock:
            for rule in self._rules.values():
                if rule["kind"] != "missing-capacity" or not _meets(rule, body):
                    continue
                if all(rule.get(key, "*") in ("*", value) for key, value in pool.items()):
                    return rule.get("code", "InsufficientInstanceCapacity")
        return None


def _meets(rule: dict[str, Any], body: str) -> bool:
    return rule.get("containing", "") in body
