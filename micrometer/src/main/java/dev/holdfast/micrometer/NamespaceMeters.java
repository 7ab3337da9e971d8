package dev.holdfast.micrometer;

import static io.micrometer.core.instrument.binder.BaseUnits.BYTES;

import dev.holdfast.statistics.AlarmStatistics;
import dev.holdfast.statistics.CallStatistics;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.ResetReason;
import java.util.function.ToDoubleFunction;

/** The meters of one namespace. */
final class NamespaceMeters {

  private NamespaceMeters() {}

  static void register(Meters<NamespaceStatistics> meters) {
    meters.gauge("holdfast.objects", "objects", "Objects in memory", NamespaceStatistics::live);
    calls(meters);
    instances(meters);
    meters.counter(
        "holdfast.batches",
        "batches",
        "Batches that turns have handed to the journal",
        NamespaceStatistics::batches);
    meters.counter(
        "holdfast.batch.bytes", BYTES, "The size of the batches", NamespaceStatistics::batchBytes);
    alarms(meters.of(NamespaceStatistics::alarms));
  }

  private static void calls(Meters<NamespaceStatistics> meters) {
    meters.gauge(
        "holdfast.queued.events",
        "events",
        "Calls, tasks and timers that wait for their object",
        NamespaceStatistics::queued);
    Meters<CallStatistics> calls = meters.of(NamespaceStatistics::calls);
    call(calls, "returned", CallStatistics::returned);
    call(calls, "threw", CallStatistics::threw);
    call(calls, "reset", CallStatistics::reset);
    call(calls, "timed_out", CallStatistics::timedOut);
    call(calls, "overloaded", CallStatistics::overloaded);
    meters.counter("holdfast.turns", "turns", "Turns that have begun", NamespaceStatistics::turns);
    meters.timer("holdfast.turn.time", "The duration of a turn", NamespaceStatistics::turnNanos);
    meters.timer(
        "holdfast.input.gate.wait",
        "How long a call, a task or a timer waited for its object",
        NamespaceStatistics::inputGateNanos);
    meters.timer(
        "holdfast.output.gate.wait",
        "How long a reply waited until what it depends on was durable",
        NamespaceStatistics::outputGateNanos);
  }

  private static void call(
      Meters<CallStatistics> calls, String outcome, ToDoubleFunction<CallStatistics> count) {
    calls.with("outcome", outcome).counter("holdfast.calls", "calls", "Calls by outcome", count);
  }

  private static void instances(Meters<NamespaceStatistics> meters) {
    meters.counter(
        "holdfast.activations",
        "activations",
        "Instances that were created",
        NamespaceStatistics::activations);
    meters.timer(
        "holdfast.activation.time",
        "The creation of an instance",
        NamespaceStatistics::activationNanos);
    meters.counter(
        "holdfast.evictions",
        "evictions",
        "Instances that were dropped because they were idle",
        NamespaceStatistics::evictions);
    for (ResetReason reason : ResetReason.values()) {
      meters
          .with("reason", RuntimeMeters.tag(reason))
          .counter(
              "holdfast.resets",
              "resets",
              "Instances that were reset",
              s -> s.resets().getOrDefault(reason, 0L));
    }
  }

  private static void alarms(Meters<AlarmStatistics> alarms) {
    alarms.gauge(
        "holdfast.pending.alarms", "alarms", "Alarms that are set", AlarmStatistics::pending);
    alarms.gauge(
        "holdfast.due.alarms", "alarms", "Alarms whose time has come", AlarmStatistics::due);
    alarms.gauge(
        "holdfast.running.alarms", "alarms", "Handlers that run", AlarmStatistics::running);
    alarms
        .with("outcome", "returned")
        .counter("holdfast.alarm.runs", "runs", "Handlers that have ended", AlarmStatistics::ran);
    alarms
        .with("outcome", "failed")
        .counter(
            "holdfast.alarm.runs", "runs", "Handlers that have ended", AlarmStatistics::failed);
    alarms.counter(
        "holdfast.given.up.alarms",
        "alarms",
        "Alarms that failed and are not tried again",
        AlarmStatistics::givenUp);
    alarms.timer(
        "holdfast.alarm.delay",
        "How long after its time a handler began",
        AlarmStatistics::lateNanos);
  }
}
