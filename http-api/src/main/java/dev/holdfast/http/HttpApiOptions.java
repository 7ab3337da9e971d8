package dev.holdfast.http;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * How the API behaves. Immutable; change with the {@code with} methods.
 *
 * @param clock tells the time of everything that the API stores
 * @param random makes identifiers, tokens and keys; must be unpredictable outside of tests
 */
public record HttpApiOptions(InstantSource clock, RandomGenerator random) {

  /** The system's clock and its source of secure randomness. */
  public static final HttpApiOptions DEFAULT =
      new HttpApiOptions(InstantSource.system(), new SecureRandom());

  /**
   * {@return these options with another clock}
   *
   * @param other tells the time
   */
  public HttpApiOptions withClock(InstantSource other) {
    return new HttpApiOptions(other, random);
  }

  /**
   * {@return these options with another source of randomness}
   *
   * @param other makes identifiers; thread-safe
   */
  public HttpApiOptions withRandom(RandomGenerator other) {
    return new HttpApiOptions(clock, other);
  }
}
