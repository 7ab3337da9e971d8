package dev.holdfast.http;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. */
final class MovableClock implements InstantSource {

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-21T10:00:00.123456Z"));

  @Override
  public Instant instant() {
    return now.get();
  }

  void advance(Duration time) {
    now.updateAndGet(instant -> instant.plus(time));
  }
}
