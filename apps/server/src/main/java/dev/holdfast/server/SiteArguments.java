package dev.holdfast.server;

import dev.holdfast.http.HttpApi;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.server.ListenerArguments.Listeners;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The site behind the firewall, as options of {@code serve}. Populated by the command line library.
 */
final class SiteArguments {

  private static final Duration SLOW = Duration.ofSeconds(60);

  @Option(
      names = "--in-front-of",
      paramLabel = "ORIGIN",
      description =
          "Scheme http, host and port of a site: its visitors reach it through this server, which"
              + " decides on their requests and monitors its pages.")
  private @Nullable URI origin;

  @Option(
      names = "--site-port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "The port of the site; 0 for any free port; default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--trusted-proxy",
      paramLabel = "CIDR",
      description =
          "A network of proxies in front of this server, whose X-Forwarded-For and"
              + " X-Forwarded-Proto are believed; may be repeated.")
  private List<String> trustedProxies = List.of();

  @Option(
      names = "--body-bytes",
      paramLabel = "N",
      defaultValue = "131072",
      description =
          "How many bytes of a body rules and managed rulesets see: they are read before the"
              + " decision; 1 to 1048576; default: ${DEFAULT-VALUE}.")
  private int bodyBytesMax;

  @Option(
      names = "--escaped-slashes",
      description =
          "Lets paths with %%2F or %%5C pass, as they are; without it they are refused, as some"
              + " sites decode them to separators, which rules do not see.")
  private boolean escapedSlashes;

  /**
   * Checks the options before anything is opened.
   *
   * @throws WrongInputException if one is wrong
   */
  void check() {
    if (port < 0 || port > 65_535) {
      throw new WrongInputException("--site-port is from 0 to 65535: " + port);
    }
    if (origin != null && (!"http".equals(origin.getScheme()) || origin.getHost() == null)) {
      throw new WrongInputException(
          "--in-front-of is scheme http, host and port, such as http://127.0.0.1:3000: " + origin);
    }
    if (bodyBytesMax < 1 || bodyBytesMax > SiteOptions.BODY_BYTES_LIMIT) {
      throw new WrongInputException(
          "--body-bytes is from 1 to " + SiteOptions.BODY_BYTES_LIMIT + ": " + bodyBytesMax);
    }
    options();
  }

  private SiteOptions options() {
    try {
      return SiteOptions.DEFAULT
          .withTrustedProxies(trustedProxies)
          .withBodyBytesMax(bodyBytesMax)
          .withEscapedSlashes(escapedSlashes);
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(
          "--trusted-proxy is a network such as 10.0.0.0/8: " + trustedProxies);
    }
  }

  /**
   * Serves the site, if there is one, until the process is asked to end.
   *
   * @param log receives a line for what the firewall decides
   */
  void serveUntil(
      CountDownLatch stop, HttpApi api, Listeners listeners, PrintStream out, Consumer<String> log)
      throws InterruptedException {
    URI served = origin;
    if (served == null) {
      stop.await();
      return;
    }
    try (DecisionLog decisions = new DecisionLog(api.firewall(), log);
        SiteProxy proxy =
            SiteProxy.start(
                api,
                options().withDecisions(decisions::add),
                listeners.site(port),
                served,
                SLOW,
                listeners.tls())) {
      out.println("site " + listeners.url(proxy.address()) + " in front of " + served);
      out.flush();
      stop.await();
    } catch (IOException e) {
      throw new RunFailedException("cannot listen on port " + port + ": " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new WrongInputException("--in-front-of: " + e.getMessage());
    }
  }
}
