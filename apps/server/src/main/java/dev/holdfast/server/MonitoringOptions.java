package dev.holdfast.server;

import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.analysis.HeuristicScorer;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.server.fetch.GuardedFetcher;
import dev.holdfast.http.url.WebUrl;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The settings of page monitoring, as options of {@code serve}. Populated by the command line
 * library.
 */
final class MonitoringOptions {

  @Option(
      names = "--feed",
      paramLabel = "FILE",
      description =
          "A file of malicious hosts and URLs, one per line: the host or URL, a tab, categories"
              + " separated by commas.")
  private @Nullable Path feed;

  @Option(
      names = "--fetch",
      description =
          "Fetches and scores the scripts that browsers report. Their URLs come from untrusted"
              + " clients; addresses that are not public are refused.")
  private boolean fetch;

  @Option(
      names = "--sample-rate",
      paramLabel = "RATE",
      defaultValue = "1",
      description = "The share of pages that are monitored, 0 to 1; default: ${DEFAULT-VALUE}.")
  private double sampleRate;

  @Option(
      names = "--report-address",
      paramLabel = "URL",
      description =
          "Scheme, host and port to which browsers send their reports; default: the address of the"
              + " server; the host of the page with --in-front-of, or if the server listens on all"
              + " addresses.")
  private @Nullable String reportAddress;

  HttpApiOptions options() {
    HttpApiOptions options = HttpApiOptions.DEFAULT;
    if (!(sampleRate >= 0 && sampleRate <= 1)) {
      throw new WrongInputException("--sample-rate is from 0 to 1: " + sampleRate);
    }
    options = options.withSampleRate(sampleRate);
    if (feed != null) {
      try {
        options = options.withFeed(ReputationFeed.ofFile(feed));
      } catch (IOException e) {
        throw new WrongInputException("cannot read the feed: " + e);
      }
    }
    if (fetch) {
      options = options.withFetcher(new GuardedFetcher(), new HeuristicScorer());
    }
    return reportAddress == null ? options : options.withReportBase(origin(reportAddress));
  }

  /**
   * Sends reports to an address, unless another one is configured.
   *
   * @param address scheme, host and port; empty for the host of the page
   */
  HttpApi withReportAddress(HttpApi api, String address) {
    return reportAddress == null ? api.withReportBase(address) : api;
  }

  private static String origin(String address) {
    boolean plain =
        WebUrl.parse(address)
            .filter(url -> url.scheme().startsWith("http") && url.origin().equals(address))
            .isPresent();
    if (plain) {
      return address;
    }
    throw new WrongInputException(
        "--report-address is scheme, host and port, such as https://reports.example.com: "
            + address);
  }
}
