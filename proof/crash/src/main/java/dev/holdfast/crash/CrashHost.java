package dev.holdfast.crash;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.crash.Cell.Reply;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.process.ParentPipe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The process that is killed: opens the directory, reports its contents, then takes steps until it
 * is asked to close, or killed. The format of its reports is in {@link CrashReport}.
 */
final class CrashHost {

  private final ParentPipe parent = new ParentPipe();
  private final CrashSettings settings;
  private final Workload workload;
  private volatile boolean closing;

  private CrashHost(CrashSettings settings) {
    this.settings = settings;
    this.workload = settings.workload();
  }

  /**
   * The child's main method.
   *
   * @param arguments the result of {@link CrashSettings#toArguments}
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    new CrashHost(CrashSettings.ofArguments(arguments)).run();
  }

  private void run() throws InterruptedException {
    parent.listen(line -> closing = true);
    parent.say(CrashReport.OPENING);
    ObjectRuntime runtime = open();
    parent.say(CrashReport.OPENED);
    workload.read(runtime).report(parent::say);
    PastStates pasts =
        new PastStates(
            runtime,
            workload,
            Path.of(settings.directory() + ".past"),
            text -> parent.say(CrashReport.broken(text)));
    pasts.check();
    parent.say(CrashReport.TOLD);
    Thread operator = Thread.ofVirtual().start(() -> actUntilClosed(pasts));
    Thread[] callers =
        IntStream.range(0, settings.callerCount())
            .mapToObj(caller -> Thread.ofVirtual().start(() -> callUntilClosed(caller, runtime)))
            .toArray(Thread[]::new);
    callers[0].join();
    operator.join();
    parent.say(CrashReport.CLOSING);
    runtime.close();
    parent.say(CrashReport.CLOSED);
    for (Thread caller : callers) {
      caller.join();
    }
  }

  /** Few connections and a short idle time, so that eviction and reopening are part of the test. */
  private ObjectRuntime open() {
    return Holdfast.open(
        Path.of(settings.directory()),
        objects -> {
          objects.options(
              RuntimeOptions.DEFAULT.withOpenDatabasesMax(Math.max(1, settings.cellCount() / 2)));
          workload.register(
              objects, NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ofMillis(50)));
        });
  }

  /** Stops when it is asked to, like the first caller. */
  private void actUntilClosed(PastStates pasts) {
    try {
      while (!closing) {
        pasts.act();
      }
    } catch (RuntimeException e) {
      parent.say(CrashReport.broken("the past object: " + e));
    }
  }

  /** The first caller stops when asked to; the others continue while the runtime closes. */
  private void callUntilClosed(int caller, ObjectRuntime runtime) {
    SplittableRandom random = new SplittableRandom(settings.seed() + caller);
    long[] lastSeqs = new long[settings.cellCount()];
    while (!(closing && caller == 0)) {
      int cell = random.nextInt(4) == 0 ? 0 : random.nextInt(settings.cellCount());
      try {
        parent.say(CrashReport.begun(cell));
        Reply reply = workload.step(runtime, cell, random.nextInt(300) == 0);
        parent.say(CrashReport.answered(cell, reply));
        if (reply.confirmed() && reply.seq() <= lastSeqs[cell]) {
          parent.say(CrashReport.broken("cell " + cell + " went back to " + reply.seq()));
        }
        lastSeqs[cell] = reply.confirmed() ? reply.seq() : lastSeqs[cell];
      } catch (RuntimeClosedException e) {
        return;
      } catch (InstanceResetException e) {
        boolean expected = closing || Workload.isAbort(e);
        if (!expected) {
          parent.say(CrashReport.broken("cell " + cell + ": " + e));
        }
      } catch (RuntimeException e) {
        parent.say(CrashReport.broken("cell " + cell + ": " + e));
        return;
      }
    }
  }
}
