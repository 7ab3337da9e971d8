package dev.holdfast.server;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.Operator;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneEntry;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.launcher.process.EndRequest;
import dev.holdfast.server.ListenerArguments.Listeners;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code serve}. Created and populated by the command line library. */
@Command(
    name = "serve",
    sortOptions = false,
    description =
        "Serves page monitoring, firewall rules and managed-rules migration over HTTP. The first"
            + " start creates a zone and a token and prints the token,"
            + " which is never shown again.")
public final class ServeCommand implements Callable<Integer> {

  /** Held by this field, because the level is lost when its logger is collected. */
  private static final Logger SERVER_LOG = Logger.getLogger("org.eclipse.jetty");

  private static final List<Logger> CLIENT_LOGS =
      List.of(
          Logger.getLogger("org.eclipse.jetty.http"),
          Logger.getLogger("org.eclipse.jetty.util.HostPort"));

  @Mixin private final ApiDirectory directory = new ApiDirectory();
  @Mixin private final MonitoringOptions monitoring = new MonitoringOptions();
  @Mixin private final ListenerArguments listener = new ListenerArguments();
  @Mixin private final SiteArguments site = new SiteArguments();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8787",
      description = "The port to listen on; 0 for any free port; default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--zone",
      paramLabel = "NAME",
      defaultValue = "example.com",
      description =
          "The domain of the zone that the first start creates; default: ${DEFAULT-VALUE}.")
  private @Nullable String zone;

  @Option(
      names = "--rate-limit",
      paramLabel = "N",
      defaultValue = "0",
      description = "The limit of requests of a token or key in five minutes; default: none.")
  private int requestsMax;

  @Option(
      names = "--undecided",
      paramLabel = "ACTION",
      defaultValue = "block",
      description =
          "What happens to a request on which a rule cannot be decided, as it would take too much"
              + " work or the coding of the body is unknown: block, log or skip; default:"
              + " ${DEFAULT-VALUE}.")
  private String undecided = "block";

  @Option(names = "--quiet", description = "Logs neither requests nor decisions.")
  private boolean quiet;

  /** Creates the command; called by the command line library. */
  public ServeCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new ServeCommand(), options);
  }

  @Override
  public Integer call() {
    // It logs its start and stop, which this command also prints.
    SERVER_LOG.setLevel(Level.WARNING);
    // The client receives its own errors; an operator cannot act on them.
    CLIENT_LOGS.forEach(log -> log.setLevel(Level.SEVERE));
    if (requestsMax < 0) {
      throw new WrongInputException("--rate-limit is not negative: " + requestsMax);
    }
    if (port < 0 || port > 65_535) {
      throw new WrongInputException("--port is from 0 to 65535: " + port);
    }
    Listeners listeners = listener.check();
    site.check();
    HttpApiOptions options =
        monitoring.options().withRequestsMax(requestsMax).withUndecided(undecided());
    PrintStream out = System.out;
    try (EndRequest end = EndRequest.expect();
        ObjectRuntime runtime = directory.serve(options)) {
      HttpApi api = new HttpApi(runtime, options);
      prepare(api.operator(), out);
      try (HttpApiServer server =
          HttpApiServer.start(
              address -> monitoring.withReportAddress(api, listeners.reportBase(address)),
              options(listeners, out))) {
        out.println("serving " + listeners.url(server.address()) + "/client/v4");
        out.flush();
        // Browsers report to the site, as they may not reach the API.
        site.serveUntil(
            end.asked(), monitoring.withReportAddress(api, ""), listeners, out, log(out));
      } catch (IOException e) {
        throw new RunFailedException("cannot listen on port " + port + ": " + e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return 0;
  }

  private Undecided undecided() {
    return Stream.of(Undecided.values())
        .filter(one -> one.word().equals(undecided))
        .findFirst()
        .orElseThrow(
            () -> new WrongInputException("--undecided is block, log or skip: " + undecided));
  }

  private void prepare(Operator operator, PrintStream out) {
    if (!operator.hasCredentials()) {
      if (operator.zones().isEmpty() && zone != null) {
        operator.createZone(zone, Plan.ENTERPRISE);
      }
      String token = operator.createToken(List.of(), Permission.OF_ZONES);
      out.println("token (not shown again): " + token);
    }
    for (ZoneEntry entry : operator.zones()) {
      out.println("zone " + entry.name() + ": " + entry.id());
    }
  }

  private Consumer<String> log(PrintStream out) {
    return quiet ? line -> {} : out::println;
  }

  private ServerOptions options(Listeners listeners, PrintStream out) {
    ServerOptions options =
        ServerOptions.DEFAULT.withAddress(listeners.api(port)).withRequestLog(log(out));
    @Nullable SSLContext tls = listeners.tls();
    return tls == null ? options : options.withTls(tls);
  }
}
