package dev.holdfast.console;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How a console listens, and how people log in. Immutable.
 *
 * @param address where it listens; without TLS an address of the loopback
 * @param tls the certificate and key of HTTPS; null for HTTP
 * @param tokens the tokens that let people in; if there are none, the console makes one
 * @param login decides the role of each request, instead of tokens: a filter of the application has
 *     checked the person. Empty for nobody. Null for tokens
 * @param isRedacted whether stored values are hidden from everybody
 * @param idle a session ends after this time without a request
 */
public record ConsoleOptions(
    InetSocketAddress address,
    @Nullable SSLContext tls,
    List<ConsoleToken> tokens,
    @Nullable Function<HttpServletRequest, Optional<ConsoleRole>> login,
    boolean isRedacted,
    Duration idle) {

  /** Loopback, port 8788, a new token at each start, sessions of half an hour. */
  public static final ConsoleOptions DEFAULT =
      new ConsoleOptions(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 8788),
          null,
          List.of(),
          null,
          false,
          Duration.ofMinutes(30));

  /**
   * Copies the tokens.
   *
   * @throws IllegalArgumentException if the address is none of the loopback and there is no TLS, or
   *     if sessions end at once
   */
  public ConsoleOptions {
    tokens = List.copyOf(tokens);
    if (tls == null
        && !(address.getAddress() != null && address.getAddress().isLoopbackAddress())) {
      throw new IllegalArgumentException(
          "The console listens without TLS on addresses of the loopback only, such as 127.0.0.1;"
              + " for "
              + address
              + " add ConsoleOptions.withTls");
    }
    if (!idle.isPositive()) {
      throw new IllegalArgumentException("The idle time of a session must be positive: " + idle);
    }
  }

  /**
   * {@return these options with another address}
   *
   * @param other where the console listens; port 0 for any free one
   * @throws IllegalArgumentException if it is no address of the loopback and there is no TLS
   */
  public ConsoleOptions withAddress(InetSocketAddress other) {
    return with(draft -> draft.address = other);
  }

  /**
   * {@return these options with HTTPS}
   *
   * @param other has the certificate and its key
   * @param on where the console listens
   */
  public ConsoleOptions withTls(SSLContext other, InetSocketAddress on) {
    return with(
        draft -> {
          draft.tls = other;
          draft.address = on;
        });
  }

  /**
   * {@return these options with one more token}
   *
   * @param token lets a person in
   */
  public ConsoleOptions withToken(ConsoleToken token) {
    List<ConsoleToken> more = new ArrayList<>(tokens);
    more.add(token);
    return with(draft -> draft.tokens = more);
  }

  /**
   * {@return these options with the application's login instead of tokens}
   *
   * @param other returns the role of a request that a filter of the application has let through;
   *     empty to refuse it. Called for every request, by any thread
   */
  public ConsoleOptions withLogin(Function<HttpServletRequest, Optional<ConsoleRole>> other) {
    return with(draft -> draft.login = other);
  }

  /**
   * {@return these options with hidden values} People look after objects and do not read them:
   * keys, sizes, times and tables are shown, values are not, and no SQL is run.
   */
  public ConsoleOptions withRedaction() {
    return with(draft -> draft.isRedacted = true);
  }

  /**
   * {@return these options with another idle time}
   *
   * @param other a session ends after this time without a request
   * @throws IllegalArgumentException if it is not positive
   */
  public ConsoleOptions withIdle(Duration other) {
    return with(draft -> draft.idle = other);
  }

  private ConsoleOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that change. Owned by the thread that makes them. */
  private static final class Draft {

    private InetSocketAddress address;
    private @Nullable SSLContext tls;
    private List<ConsoleToken> tokens;
    private @Nullable Function<HttpServletRequest, Optional<ConsoleRole>> login;
    private boolean isRedacted;
    private Duration idle;

    Draft(ConsoleOptions options) {
      address = options.address;
      tls = options.tls;
      tokens = options.tokens;
      login = options.login;
      isRedacted = options.isRedacted;
      idle = options.idle;
    }

    ConsoleOptions options() {
      return new ConsoleOptions(address, tls, tokens, login, isRedacted, idle);
    }
  }
}
