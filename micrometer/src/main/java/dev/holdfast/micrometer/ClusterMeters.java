package dev.holdfast.micrometer;

import static io.micrometer.core.instrument.binder.BaseUnits.BYTES;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.ClusterStatistics.Ownerships;
import dev.holdfast.statistics.ClusterStatistics.ReceivedCalls;
import dev.holdfast.statistics.ClusterStatistics.SentCalls;
import java.util.function.ToDoubleFunction;

/** The meters of what a node of a cluster does beside its own objects. */
final class ClusterMeters {

  private ClusterMeters() {}

  static void register(Meters<ClusterStatistics> cluster) {
    Meters<SentCalls> sent = cluster.of(ClusterStatistics::sent);
    sent(sent, "returned", SentCalls::returned);
    sent(sent, "threw", SentCalls::threw);
    sent(sent, "not_delivered", SentCalls::notDelivered);
    sent(sent, "unknown", SentCalls::unknown);
    sent(sent, "given_up", SentCalls::givenUp);
    sent.counter(
        "holdfast.cluster.redirects",
        "redirects",
        "Answers of nodes that did not own the object",
        SentCalls::redirects);
    Meters<ReceivedCalls> received = cluster.of(ClusterStatistics::received);
    received(received, "returned", ReceivedCalls::returned);
    received(received, "threw", ReceivedCalls::threw);
    received(received, "redirected", ReceivedCalls::redirected);
    received(received, "refused", ReceivedCalls::refused);
    Meters<Ownerships> ownerships = cluster.of(ClusterStatistics::ownerships);
    ownership(ownerships, "began", Ownerships::began);
    ownership(ownerships, "moved", Ownerships::moved);
    ownership(ownerships, "lost", Ownerships::lost);
    cluster.timer(
        "holdfast.cluster.takeover.time",
        "From the moment at which the log let this node take a shard until its objects were open",
        ClusterStatistics::takeoverNanos);
    cluster.counter(
        "holdfast.cluster.fetched.bytes",
        BYTES,
        "Read of copies on other nodes",
        ClusterStatistics::fetchedBytes);
    cluster.counter(
        "holdfast.cluster.events.left.out",
        "events",
        "Published events that another node, or a listener, did not get",
        ClusterStatistics::eventsLeftOut);
    cluster.gauge(
        "holdfast.cluster.lag.entries",
        "entries",
        "What the copy lacks of its log that is furthest behind",
        ClusterStatistics::lagEntries);
    cluster.gauge(
        "holdfast.cluster.lag.size",
        BYTES,
        "The journal that the files lack of shards that other nodes own",
        ClusterStatistics::lagBytes);
    cluster.time(
        "holdfast.cluster.clock.difference",
        "The greatest difference between the clock of a connected node and this one's",
        MILLISECONDS,
        s -> s.clockAheadMillis().values().stream().mapToLong(Math::abs).max().orElse(0));
    cluster.gauge(
        "holdfast.cluster.disk.usable",
        BYTES,
        "What can still be written to the disk of the node; NaN if that is not known",
        s -> s.diskUsableBytes() < 0 ? Double.NaN : s.diskUsableBytes());
  }

  private static void sent(
      Meters<SentCalls> meters, String outcome, ToDoubleFunction<SentCalls> count) {
    meters
        .with("outcome", outcome)
        .counter("holdfast.cluster.sent.calls", "calls", "Calls of other nodes by outcome", count);
  }

  private static void received(
      Meters<ReceivedCalls> meters, String outcome, ToDoubleFunction<ReceivedCalls> count) {
    meters
        .with("outcome", outcome)
        .counter(
            "holdfast.cluster.received.calls",
            "calls",
            "Calls that other nodes have sent, by how they were answered; not those that fetch"
                + " copies",
            count);
  }

  private static void ownership(
      Meters<Ownerships> meters, String change, ToDoubleFunction<Ownerships> count) {
    meters
        .with("change", change)
        .counter(
            "holdfast.cluster.ownerships",
            "ownerships",
            "Shards that this node has taken, given up as planned, or lost",
            count);
  }
}
