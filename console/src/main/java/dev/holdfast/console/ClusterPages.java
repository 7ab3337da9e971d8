package dev.holdfast.console;

import dev.holdfast.console.flow.Confirmation;
import dev.holdfast.console.nodes.ClusterPage;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Source;
import dev.holdfast.operator.OperatorRequest;
import gg.jte.generated.precompiled.JteclusterGenerated;
import gg.jte.generated.precompiled.JteclusterliveGenerated;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The pages of a cluster, and the move of a shard. Stateless. */
final class ClusterPages {

  /** A move may take longer than a page waits: the page shows it then. */
  private static final int NOT_IN_TIME = 504;

  private ClusterPages() {}

  static void cluster(Exchange exchange, Source source) throws IOException {
    ClusterPage page =
        ClusterPage.read(exchange.frame("cluster"), source, exchange.textOrNull("done"));
    exchange.html(out -> JteclusterGenerated.render(out, null, page));
  }

  /** The part that is read again and again. */
  static void live(Exchange exchange, Source source) throws IOException {
    ClusterPage page = ClusterPage.read(exchange.frame("cluster"), source, /* done= */ null);
    exchange.html(out -> JteclusterliveGenerated.render(out, null, page));
  }

  static void question(Exchange exchange, Source source) throws IOException {
    long shard = shard(exchange);
    String node = exchange.required("to");
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("shard", String.valueOf(shard));
    fields.put("to", node);
    FlowPages.ask(
        exchange,
        new Confirmation(
            exchange.frame("cluster"),
            "Move",
            "Shard " + shard + " goes to node " + node + ".",
            "Its objects take calls until those that run have ended; then calls wait for a few"
                + " seconds until the node has it. It can be moved back.",
            "/cluster/move",
            fields,
            "/cluster"));
  }

  static void move(Exchange exchange, Source source) throws IOException {
    try {
      source.ask(
          OperatorRequest.of("cluster-transfer")
              .with("shard", shard(exchange))
              .with("to", exchange.required("to")),
          1);
      exchange.redirect("/cluster?done=moved");
    } catch (PageException e) {
      if (e.status() != NOT_IN_TIME) {
        throw e;
      }
      exchange.redirect("/cluster?done=moving");
    }
  }

  private static long shard(Exchange exchange) {
    Long shard = exchange.shard();
    if (shard == null) {
      throw new PageException(400, "The address lacks the number of the shard.");
    }
    return shard;
  }
}
