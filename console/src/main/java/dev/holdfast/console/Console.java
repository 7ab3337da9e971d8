package dev.holdfast.console;

import dev.holdfast.console.chart.Samples;
import dev.holdfast.console.login.Session;
import dev.holdfast.console.login.Sessions;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Source;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of browsers: finds the route, the session and its role, and the page.
 * Thread-safe.
 */
final class Console {

  private static final Logger LOG = System.getLogger("dev.holdfast.console");

  private static final int TIMED_OUT = 504;

  private final Source source;
  private final ConsoleOptions options;
  private final Sessions sessions;
  private final Exchange.Shared shared;
  private final Assets assets = new Assets();

  /**
   * Creates a console.
   *
   * @param source what is shown
   * @param options the tokens or the login
   * @param clock the time
   * @param random makes secrets; must not be guessable
   */
  Console(Source source, ConsoleOptions options, InstantSource clock, RandomGenerator random) {
    this.source = source;
    this.options = options;
    this.sessions =
        new Sessions(
            token -> mayChange(options, token), options.idle().toMillis(), clock::millis, random);
    this.shared =
        new Exchange.Shared(
            source, sessions, new Samples(source, clock::millis), clock, options.isRedacted());
  }

  private static Optional<Boolean> mayChange(ConsoleOptions options, String token) {
    return options.tokens().stream()
        .filter(each -> each.isOf(token))
        .map(each -> each.role() == ConsoleRole.OPERATOR)
        .findFirst();
  }

  /** {@return the figures of the last hour} */
  Samples samples() {
    return shared.samples();
  }

  /**
   * Answers a request.
   *
   * @param request the request
   * @param response its answer
   * @throws IOException if the browser is gone
   */
  void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Exchange exchange = new Exchange(request, response, shared);
    exchange.protect();
    try {
      exchange.readParameters();
      route(exchange);
    } catch (PageException e) {
      exchange.problem(e.status(), String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, () -> "console " + request.getMethod() + " " + exchange.path(), e);
      exchange.problem(500, "The page cannot be shown; the log of the process says why.");
    }
  }

  private void route(Exchange exchange) throws IOException {
    String path = exchange.path();
    if (path.startsWith(Assets.PATH)) {
      assets.answer(exchange, path.substring(Assets.PATH.length()));
      return;
    }
    if (path.equals("/login")) {
      login(exchange);
      return;
    }
    ConsoleRoute route = ConsoleRoute.find(exchange.method(), path);
    @Nullable Function<HttpServletRequest, Optional<ConsoleRole>> host = options.login();
    Optional<Session> session =
        host == null
            ? sessions.find(exchange.cookie())
            : host.apply(exchange.request())
                .map(role -> new Session(role == ConsoleRole.OPERATOR, ""));
    if (session.isEmpty()) {
      if (host != null) {
        throw new PageException(403, "The application does not let you into the console.");
      }
      exchange.toLogin();
      return;
    }
    if (route == null) {
      throw new PageException(404, "There is no such page.");
    }
    exchange.enter(session.get());
    if (route.role() == ConsoleRole.OPERATOR && !session.get().mayChange()) {
      throw new PageException(403, "Only operators may do this, and you are a viewer.");
    }
    if (exchange.method().equals("POST")) {
      exchange.checkOrigin(host == null);
    }
    boolean isChange = route.role() == ConsoleRole.OPERATOR && exchange.method().equals("POST");
    if (isChange) {
      LOG.log(Level.INFO, () -> "console-request " + path + " " + exchange.subject());
    }
    Long shard = exchange.method().equals("POST") ? null : exchange.shard();
    try {
      route.page().answer(exchange, shard == null ? source : source.inShard(shard));
    } catch (PageException e) {
      throw isChange && e.status() == TIMED_OUT
          ? new PageException(
              TIMED_OUT,
              "What was asked for has not ended yet, and may still happen. Look at what runs, and"
                  + " at the past of the object, before you repeat it.")
          : e;
    }
  }

  private void login(Exchange exchange) throws IOException {
    if (options.login() != null) {
      throw new PageException(
          404, "The application logs people in; the console takes no tokens here.");
    }
    if (!exchange.method().equals("POST")) {
      exchange.loginPage(200, null);
      return;
    }
    exchange.checkOrigin(/* hasForms= */ false);
    String token = exchange.text("token").strip();
    switch (sessions.enter(token, exchange.request().getRemoteAddr())) {
      case Sessions.Entered entered -> exchange.entered(entered.secret());
      case Sessions.Wrong _ -> {
        LOG.log(Level.WARNING, "console-login-refused " + exchange.request().getRemoteAddr());
        exchange.loginPage(403, "This token lets nobody in.");
      }
      case Sessions.TooMany _ ->
          exchange.loginPage(429, "Too many wrong tokens; try again in a minute.");
    }
  }
}
