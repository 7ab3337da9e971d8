package dev.holdfast.console.login;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The people in the console, in memory: a restart ends all sessions. Thread-safe. */
public final class Sessions {

  private static final int SESSIONS_MAX = 1_000;
  private static final int SECRET_BYTES = 32;

  private record Open(Session session, long usedMillis) {}

  private final Function<String, Optional<Boolean>> tokens;
  private final long idleMillis;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Attempts attempts = new Attempts();

  /** By their secrets; the one that was used longest ago comes first. */
  private final LinkedHashMap<String, Open> open = new LinkedHashMap<>();

  /**
   * Creates an empty set of sessions.
   *
   * @param tokens whether the owner of a token may change objects; empty if nobody has it
   * @param idleMillis a session ends after this time without a request
   * @param clock the time in milliseconds
   * @param random makes secrets; must not be guessable
   */
  public Sessions(
      Function<String, Optional<Boolean>> tokens,
      long idleMillis,
      LongSupplier clock,
      RandomGenerator random) {
    this.tokens = tokens;
    this.idleMillis = idleMillis;
    this.clock = clock;
    this.random = random;
  }

  /** What became of a login. */
  public sealed interface Login {}

  /**
   * The person is in.
   *
   * @param secret names the session; only the person's browser keeps it
   */
  public record Entered(String secret) implements Login {}

  /** No token like this lets anybody in. */
  public record Wrong() implements Login {}

  /** Too many wrong tokens were tried in this minute. */
  public record TooMany() implements Login {}

  /**
   * Lets a person in.
   *
   * @param token the token
   * @param address where the person is
   * @return what became of it
   */
  public Login enter(String token, String address) {
    long now = clock.getAsLong();
    if (!attempts.mayTry(address, now)) {
      return new TooMany();
    }
    Optional<Boolean> mayChange = tokens.apply(token);
    if (mayChange.isEmpty()) {
      attempts.failed(address);
      return new Wrong();
    }
    String secret = secret();
    synchronized (open) {
      if (open.size() >= SESSIONS_MAX) {
        open.pollFirstEntry();
      }
      open.putLast(secret, new Open(new Session(mayChange.get(), secret()), now));
    }
    return new Entered(secret);
  }

  /**
   * {@return the session with a secret, which lasts longer by that; empty if it has ended}
   *
   * @param secret what the browser sent; null if it sent none
   */
  public Optional<Session> find(@Nullable String secret) {
    if (secret == null) {
      return Optional.empty();
    }
    long now = clock.getAsLong();
    synchronized (open) {
      Map.Entry<String, Open> oldest = open.firstEntry();
      while (oldest != null && now - oldest.getValue().usedMillis() >= idleMillis) {
        open.pollFirstEntry();
        oldest = open.firstEntry();
      }
      Open found = open.remove(secret);
      if (found == null) {
        return Optional.empty();
      }
      open.putLast(secret, new Open(found.session(), now));
      return Optional.of(found.session());
    }
  }

  /**
   * Ends a session.
   *
   * @param secret what the browser sent; null if it sent none
   */
  public void leave(@Nullable String secret) {
    synchronized (open) {
      if (secret != null) {
        open.remove(secret);
      }
    }
  }

  /**
   * {@return whether a form was made by a page of the session}
   *
   * @param session the session
   * @param form what the form sent; null if it sent nothing
   */
  public static boolean isOwn(Session session, @Nullable String form) {
    return form != null
        && MessageDigest.isEqual(
            session.form().getBytes(StandardCharsets.US_ASCII),
            form.getBytes(StandardCharsets.UTF_8));
  }

  /** {@return a new secret of 256 bits} */
  private String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
