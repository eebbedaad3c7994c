"""Dated real prices of one region, from the file that Kerf ships: `{"types": {"m5.large": ["abc", 0.096, 0.04]}}`."""

from typing import Any


class Prices:
    def __init__(self, table: dict[str, Any]) -> None:
        self.region: str = table["region"]
        self._types: dict[str, list[Any]] = table["types"]

    def types(self) -> list[str]:
        return sorted(self._types)

    def on_demand(self, instance_type: str) -> float | None:
        return self._price(instance_type, 1)

    def spot(self, instance_type: str, zone: str) -> float | None:
        """The file has one spot price a region; zones differ by a few per cent, as they do at AWS, and always alike."""
        price = self._price(instance_type, 2)
        return None if price is None else round(price * (1 + 0.01 * (ord(zone[-1]) - ord("a"))), 6)

    def _price(self, instance_type: str, place: int) -> float | None:
        """A row ends where nothing more is known."""
        row = self._types.get(instance_type, [])
        return row[place] if place < len(row) else None
