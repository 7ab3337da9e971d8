package dev.holdfast.system.architecture.violations;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/** Reads time and randomness of the machine in every forbidden way, once each. */
final class MachineTimeAndChance {
  /** Passed as a reference: hidden from a rule that checks only calls. */
  static final LongSupplier NANOS = System::nanoTime;

  private MachineTimeAndChance() {}

  static List<Object> ask() throws InterruptedException {
    Thread.sleep(1);
    return List.of(
        System.currentTimeMillis(),
        Clock.systemUTC(),
        Instant.now(),
        Math.random(),
        UUID.randomUUID(),
        ThreadLocalRandom.current(),
        new Random(),
        new SplittableRandom(),
        new SecureRandom());
  }
}
