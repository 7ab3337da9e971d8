package dev.holdfast.runtime.turns;

import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs random programs in the objects of a host, and checks from inside that no two turns of an
 * object overlap and that no other event enters a critical section.
 *
 * <p>Every increment is a token with its own number and key. Objects send each other all tokens
 * that they have, in arguments, replies and exceptions: so the receiver of a message depends on
 * every token in it.
 *
 * <p>Owned by one scheduler: only one thread runs at a time.
 */
final class ProgramRun {

  private static final Pattern ABORT = Pattern.compile("planned by who knows <([0-9,]*)>");

  private final Host host;
  private final List<Violation> violations = new ArrayList<>();
  private long lastToken;
  private int sends;
  private int sendsOver;
  private int refusals;

  ProgramRun(Host host) {
    this.host = host;
  }

  /** A violation found inside an object. */
  record Violation(String what) {}

  /** An ordinary exception of an object, with the tokens that the object has. */
  static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient List<Long> known;

    Failure(Collection<Long> known) {
      super("planned");
      this.known = List.copyOf(known);
    }

    List<Long> known() {
      return known;
    }
  }

  List<Violation> violations() {
    return violations;
  }

  /** How many messages say that a circle of sections was refused or ended by a reset. */
  int refusals() {
    return refusals;
  }

  boolean allSendsAreOver() {
    return sends == sendsOver;
  }

  /** Makes a call from outside; returns all tokens that the reply depends on. */
  List<Long> call(Step.TopCall call) throws Exception {
    try {
      return deliver(call.object(), List.of(), call.steps());
    } catch (Failure e) {
      return e.known();
    } catch (InstanceResetException e) {
      countRefusal(e);
      return toldBy(e);
    }
  }

  /** Counts a wait that was refused, and a reset that follows where there is no code to refuse. */
  private void countRefusal(Throwable e) {
    Throwable refusal = e instanceof InstanceResetException reset ? reset.getCause() : e;
    if (refusal instanceof MisuseException misuse
        && misuse.reason() == MisuseException.Reason.DEADLOCK) {
      refusals++;
    }
  }

  /** All tokens in the reason of a reset, and in what object code threw meanwhile. */
  private static List<Long> toldBy(InstanceResetException reset) {
    List<Long> told = new ArrayList<>();
    Matcher reason = ABORT.matcher(String.valueOf(reset.getMessage()));
    if (reason.find() && !reason.group(1).isEmpty()) {
      for (String token : reason.group(1).split(",")) {
        told.add(Long.valueOf(token));
      }
    }
    for (Throwable each : reset.getSuppressed()) {
      if (each instanceof Failure failure) {
        told.addAll(failure.known());
      }
    }
    return told;
  }

  private List<Long> deliver(int object, Collection<Long> told, List<Step> steps) throws Exception {
    @SuppressWarnings("unchecked")
    List<Long> reply =
        (List<Long>)
            host.call(name(object), (self, context) -> new Inside(self, context).run(told, steps));
    return reply;
  }

  static String name(int object) {
    return "object-" + object;
  }

  /** One event of one object. */
  private final class Inside {
    private final Thing.State self;
    private final ObjectContext context;

    /** The section this event belongs to; null for none. */
    private Object section;

    /** What this turn has written so far: an abort drops it. */
    private final Set<Long> unsealed = new TreeSet<>();

    Inside(Thing.State self, ObjectContext context) {
      this.self = self;
      this.context = context;
    }

    List<Long> run(Collection<Long> told, List<Step> steps) throws Exception {
      beginTurn();
      try {
        learn(told);
        runSteps(steps);
        return List.copyOf(known());
      } finally {
        endTurn();
      }
    }

    private void runSteps(List<Step> steps) throws Exception {
      for (Step step : steps) {
        runStep(step);
      }
    }

    private void runStep(Step step) throws Exception {
      switch (step) {
        case Step.Increment _ -> increment();
        case Step.Await _ -> waiting(() -> context.await(CompletableFuture.completedFuture(0)));
        case Step.Work _ ->
            waiting(
                () ->
                    context.call(
                        () -> {
                          Thread.yield();
                          return 0;
                        }));
        case Step.Call call -> {
          // A copy made in this turn, as the engine copies arguments: others of this object learn
          // more while it waits, and what they learn is no part of this message.
          List<Long> told = List.copyOf(knowledge());
          learn(waiting(() -> callOther(call, told)));
        }
        case Step.Send send -> send(send);
        case Step.Task task -> task(task);
        case Step.Section inner -> section(inner);
        case Step.Fail _ -> throw new Failure(known());
        case Step.Abort _ -> throw context.abort("planned by who knows <" + sealedTokens() + ">");
      }
    }

    private void increment() {
      long count = context.storage().get("count", Long.class).orElse(0L);
      Thread.yield();
      long token = ++lastToken;
      context.storage().put("count", count + 1);
      context.storage().put("token-" + token, token);
      knowledge().add(token);
      unsealed.add(token);
    }

    private String sealedTokens() {
      Set<Long> sealed = known();
      sealed.removeAll(unsealed);
      return sealed.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private List<Long> callOther(Step.Call call, List<Long> told) throws Exception {
      try {
        return deliver(call.object(), told, call.steps());
      } catch (Failure e) {
        return e.known();
      } catch (HoldfastException e) {
        // A circle of sections, or a reset of the other object: this one goes on.
        countRefusal(e);
        return List.of();
      }
    }

    private void send(Step.Send send) {
      List<Long> told = List.copyOf(knowledge());
      sends++;
      host.stub(name(send.object()))
          .async(
              thing ->
                  thing.run(
                      host.number(
                          (self, inner) -> new Inside(self, inner).run(told, send.steps()))))
          .whenComplete(
              (_, failure) -> {
                sendsOver++;
                countRefusal(failure);
              });
    }

    private void task(Step.Task task) throws Exception {
      CompletableFuture<List<Long>> future =
          context.async(
              () -> {
                Inside inner = new Inside(self, context);
                inner.section = section;
                return inner.run(List.of(), task.steps());
              });
      learn(
          waiting(
              () -> {
                try {
                  return context.await(future);
                } catch (java.util.concurrent.CompletionException e) {
                  return e.getCause() instanceof Failure failure ? failure.known() : List.of();
                } catch (MisuseException e) {
                  if (e.reason() != MisuseException.Reason.DEADLOCK) {
                    throw e;
                  }
                  countRefusal(e);
                  return List.of();
                }
              }));
    }

    private void section(Step.Section inner) throws Exception {
      Object before = section;
      Object mine = new Object();
      endTurn();
      context.blockConcurrencyWhile(
          () -> {
            section = mine;
            List<Object> open = sections();
            open.add(mine);
            beginTurn();
            try {
              runSteps(inner.steps());
            } catch (Failure e) {
              // A failure would reset the object; harmless programs do not.
              learn(e.known());
            }
            endTurn();
            open.remove(mine);
            return 0;
          });
      section = before;
      beginTurn();
    }

    // ---- Checks ---------------------------------------------------------------------------

    private interface Wait<R> {
      R run() throws Exception;
    }

    private <R> R waiting(Wait<R> wait) throws Exception {
      endTurn();
      R result = wait.run();
      beginTurn();
      return result;
    }

    private void beginTurn() {
      if (self.memory.putIfAbsent("turn", this) != null) {
        violations.add(new Violation("two turns of one object at once"));
      }
      List<Object> open = sections();
      if (!open.isEmpty() && open.getLast() != section) {
        violations.add(new Violation("an event from outside got into a critical section"));
      }
    }

    private void endTurn() {
      unsealed.clear();
      self.memory.remove("turn", this);
    }

    @SuppressWarnings("unchecked")
    private List<Object> sections() {
      return (List<Object>) self.memory.computeIfAbsent("sections", _ -> new ArrayList<>());
    }

    // ---- What the object knows ------------------------------------------------------------

    @SuppressWarnings("unchecked")
    private Set<Long> knowledge() {
      return (Set<Long>) self.memory.computeIfAbsent("known", _ -> new TreeSet<Long>());
    }

    private void learn(Collection<Long> tokens) {
      knowledge().addAll(tokens);
    }

    /** Everything in memory and in storage. */
    private Set<Long> known() {
      Set<Long> all = new TreeSet<>(knowledge());
      all.addAll(
          context
              .storage()
              .list(dev.holdfast.storage.ListOptions.ALL.withPrefix("token-"), Long.class)
              .values());
      return all;
    }
  }
}
