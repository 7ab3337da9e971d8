package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.Subscription;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.system.mistakes.Host.Body;
import dev.holdfast.system.mistakes.Host.Probe;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What no caller learns, and only the log says. */
final class LogMistakes {

  private static final Duration HOUR = Duration.ofHours(1);

  private LogMistakes() {}

  /** Handles its alarm as a mistake wants it. */
  private record Sleeper(AlarmHandler handler) implements Probe, AlarmHandler {

    @Override
    public @Nullable Object run(@Nullable Object argument) {
      return argument;
    }

    @Override
    public void alarm(AlarmInfo alarm) throws Exception {
      handler.alarm(alarm);
    }
  }

  /** Sets its alarm when it is called. */
  private record Setter(ObjectContext context, Instant time) implements Probe, AlarmHandler {

    @Override
    public @Nullable Object run(@Nullable Object argument) {
      context.storage().setAlarm(time);
      return argument;
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  static List<Mistake> all() {
    return List.of(
        Mistake.logged(
            "a namespace that is no longer registered",
            host -> {
              Path directory = sleeping(host);
              return Host.logged(
                  LogEvent.NAMESPACE_MISSING, () -> Host.open(directory, objects -> {}).close());
            }),
        alarm(
            "a handler of alarms that fails",
            LogEvent.ALARM_FAILED,
            _ -> {
              throw new IllegalStateException("the mail server is down");
            }),
        alarm(
            "a handler that gives its alarm up",
            LogEvent.ALARM_GIVEN_UP,
            _ -> {
              throw new AbandonAlarmException("the account is closed", null);
            }),
        Mistake.logged(
            "an alarm of an object that no longer handles alarms",
            host -> {
              Path directory = sleeping(host);
              return Host.logged(
                  LogEvent.ALARM_DROPPED, () -> wake(directory, _ -> argument -> argument));
            }),
        inside(
            "a timer that fails",
            LogEvent.TIMER_FAILED,
            (context, _) ->
                context.schedule(
                    Duration.ofSeconds(1),
                    () -> {
                      throw new IllegalStateException("no paper");
                    })),
        inside(
            "an action after a durable turn that fails",
            LogEvent.ACTION_FAILED,
            (context, argument) -> {
              context.afterDurable(
                  () -> {
                    throw new IllegalStateException("no paper");
                  });
              return argument;
            }),
        Mistake.logged("a handler of events that fails", LogMistakes::failingConsumer),
        inside(
            "a task that fails",
            LogEvent.TASK_FAILED,
            (context, _) ->
                context.async(
                    () -> {
                      throw new IllegalStateException("no paper");
                    })),
        // In a namespace without other asynchronous calls: one line a minute is logged.
        Mistake.logged(
            "an asynchronous call that fails",
            host ->
                Host.logged(
                    LogEvent.CALL_FAILED,
                    () -> {
                      CompletableFuture<Object> ignored =
                          host.stub(
                                  Host.SLEEPERS,
                                  (_, _) -> {
                                    throw new IllegalStateException("no paper");
                                  })
                              .async(probe -> probe.run(null));
                    })));
  }

  private static String failingConsumer(Host host) throws Exception {
    String topic = "letters";
    host.inside(
        Host.PROBES,
        (context, argument) -> {
          context.emit(topic, "a letter");
          return argument;
        });
    List<Subscription> consumers = new ArrayList<>();
    try {
      return Host.logged(
          LogEvent.CONSUMER_FAILED,
          () ->
              consumers.add(
                  host.runtime()
                      .consume(
                          topic,
                          "printer",
                          String.class,
                          ConsumerOptions.DEFAULT.withStart(ConsumerStart.OLDEST),
                          _ -> {
                            throw new IllegalStateException("no paper");
                          })));
    } finally {
      consumers.forEach(Subscription::close);
    }
  }

  private static Mistake inside(String title, LogEvent event, Body body) {
    return Mistake.logged(
        title,
        host ->
            Host.logged(
                event,
                () -> {
                  host.inside(
                      Host.PROBES,
                      (context, argument) -> {
                        body.run(context, argument);
                        return null;
                      });
                  host.clock.advance(Duration.ofSeconds(1));
                }));
  }

  private static Mistake alarm(String title, LogEvent event, AlarmHandler handler) {
    return Mistake.logged(
        title,
        host -> {
          Path directory = sleeping(host);
          return Host.logged(event, () -> wake(directory, _ -> new Sleeper(handler)));
        });
  }

  /** {@return a directory with an object whose alarm is due in an hour} */
  private static Path sleeping(Host host) throws Exception {
    Path directory = host.missing();
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            clock,
            objects ->
                objects.namespace(
                    "reminders",
                    Probe.class,
                    context -> new Setter(context, clock.now().plus(HOUR))))) {
      runtime.namespace("reminders", Probe.class).getByName("anna").run(null);
    }
    return directory;
  }

  private static void wake(Path directory, ObjectFactory<Probe> factory) {
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime _ =
        Holdfast.open(
            directory, clock, objects -> objects.namespace("reminders", Probe.class, factory))) {
      clock.advance(HOUR);
    }
  }
}
