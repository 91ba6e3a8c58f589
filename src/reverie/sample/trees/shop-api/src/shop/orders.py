from dataclasses import dataclass


@dataclass
class Order:
    line_cents: list[int]
    shipping_cents: int

    def total_cents(self) -> int:
        return sum(self.line_cents) + self.shipping_cents
