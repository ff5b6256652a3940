"""When a live view steps: pause, single steps, a speed, and the real-time factor that is reached."""

from __future__ import annotations

from collections import deque

MIN_SPEED, MAX_SPEED = 0.1, 4.0         # simulated seconds in one second
WINDOW = 1.0                            # s over which the real-time factor is measured
MAX_BACKLOG = 0.25                      # s of steps that a slow machine makes up for


class Playback:
    """Counts the steps that are due as time goes by; `now` is a time of `time.monotonic` [s]."""

    def __init__(self, dt: float) -> None:
        self.dt, self.playing, self.speed, self.time = dt, True, 1.0, 0.0
        self._before: float | None = None
        self._due = 0.0                 # s of simulated time
        self._single = 0
        self._reached: deque[tuple[float, float]] = deque()     # time, simulated time since the start of the program
        self._simulated = 0.0

    def toggle(self) -> None:
        """Pause, or go on; time in a pause is not made up for."""
        self.playing, self._due = not self.playing, 0.0
        self._reached.clear()

    def order_step(self) -> None:
        """Pause, and have one step taken."""
        if self.playing:
            self.toggle()
        self._single += 1

    def advance(self, now: float) -> None:
        """Note that time has gone by."""
        if self.playing and self._before is not None:
            self._due = min(self._due + (now - self._before) * self.speed, max(MAX_BACKLOG * self.speed, self.dt))
        self._before = now

    def take_step(self) -> bool:
        """Whether a step is due; it counts as taken."""
        if self._single:
            self._single -= 1
        elif self.playing and self._due >= self.dt:
            self._due -= self.dt
        else:
            return False
        self.time += self.dt
        self._simulated += self.dt
        return True

    def reset(self) -> None:
        """Start again at time 0."""
        self.time, self._due = 0.0, 0.0

    def factor(self, now: float) -> float:
        """Simulated time over time in the last second; 0 in a pause."""
        if not self.playing:
            return 0.0
        self._reached.append((now, self._simulated))
        while now - self._reached[0][0] > WINDOW and len(self._reached) > 2:
            self._reached.popleft()
        begin, simulated = self._reached[0]
        return (self._simulated - simulated) / (now - begin) if now > begin else 0.0
