package dev.holdfast.runtime.planted;

import dev.holdfast.faults.planted.PlantedFault;
import java.nio.file.Path;
import java.util.List;

/** The faults that are planted in gate and turn code. Each must make a test fail. */
final class PlantedFaults {

  private static final Path INTERNALS = Path.of("src/main/java/dev/holdfast/runtime/internal");

  static final List<PlantedFault> ALL =
      List.of(
          // ---- The input gate
          inEngine(
              "the way into an idle object is not atomic",
              "gate/InputGate.java",
              "return state == OPEN && STATE.compareAndSet(this, OPEN, HELD);",
              "if (state == OPEN) { state = HELD; return true; } return false;"),
          inEngine(
              "two waiters are woken",
              "gate/InputGate.java",
              "      held = next != null;\n",
              "      held = next != null;\n      Waiter second = queueOf(section).poll();\n"
                  + "      if (second != null) {\n        waitingCount--;\n"
                  + "        second.setStanding(Waiter.Standing.ADMITTED);\n"
                  + "        second.admitted(0);\n      }\n"),
          inEngine(
              "a wake-up is lost",
              "gate/InputGate.java",
              "      next.admitted(othersCount);\n",
              "      next.isQueued();\n"),
          inEngine(
              "the last in the queue is first",
              "gate/WaiterQueue.java",
              "    Waiter first = peek();\n",
              "    Waiter first = peek() == null ? null : ends.last();\n"),
          inEngine(
              "the bound of the queue is one too high",
              "gate/InputGate.java",
              "waitingCount >= waitingMax",
              "waitingCount > waitingMax"),
          inEngine(
              "a section lets others in while it waits",
              "gate/InputGate.java",
              "if (!held && place == section) {",
              "if (!held) {"),
          inEngine(
              "a waiter inside a section is forgotten at its end",
              "gate/InputGate.java",
              "    outer.takeAll(ended.waiters());\n",
              ""),
          inEngine(
              "a shut gate forgets its waiters",
              "gate/InputGate.java",
              "      target.takeAll(waiters);\n",
              "      waiters.poll();\n"),
          inEngine(
              "an idle instance ends while an execution waits",
              "turn/Turn.java",
              "if (wasIdle && waitingCount() == 0 && gate",
              "if (wasIdle && gate"),
          inEngine(
              "an instance that becomes idle during the check is not checked again",
              "turn/Turn.java",
              "if (wasIdle || !idle.getAsBoolean()) {",
              "if (true) {"),
          // ---- The output gate
          inEngine(
              "a reply does not wait for the disk",
              "gate/OutputGate.java",
              "    } else {\n      journal.awaitDurable(dependency);\n",
              "    } else {\n"),
          inEngine(
              "confirmed and unconfirmed are taken for each other",
              "gate/OutputGate.java",
              "    if (confirmed) {",
              "    if (!confirmed) {"),
          inEngine(
              "a confirmation lasts for later turns",
              "turn/TurnWork.java",
              "      confirmed = false;\n",
              ""),
          inEngine(
              "the reply does not know what it depends on",
              "turn/Turn.java",
              "execution.setOver(sealed ? output().position() : end.position());",
              "execution.setOver(end.position());"),
          inEngine(
              "a reply between objects does not hand on what it depends on",
              "instance/Instances.java",
              "    caller.turn().output().raiseTo(call.position());\n",
              ""),
          inEngine(
              "a call between objects does not hand on what it depends on",
              "instance/Instance.java",
              "    turn.output().raiseTo(message.position());\n",
              ""),
          inEngine(
              "a fresh instance does not know what its predecessor wrote",
              "instance/Instance.java",
              "inherit(home.undurablePosition(), home.undurableBatch());",
              "inherit(0, home.undurableBatch());"),
          inEngine(
              "a fresh instance does not know what its predecessor wrote unconfirmed",
              "instance/Instance.java",
              "inherit(home.undurablePosition(), home.undurableBatch());",
              "inherit(home.undurablePosition(), 0);"),
          inEngine(
              "a confirmed write of a stored value does not wait for its earlier write",
              "turn/TurnWork.java",
              "    output.raiseTo(output.sealedPosition());\n",
              ""),
          inEngine(
              "a waiter for a failed journal continues before it is reset",
              "turn/Waits.java",
              "      turn.reset(ResetReason.RUNTIME_FAILED,"
                  + " \"The object was reset because the journal failed.\", e);\n",
              ""),
          inEngine(
              "a call from outside of the turn of a reset object ends the turn of another",
              "turn/Turn.java",
              "    if (!isHeldBy(execution)) {\n      // Its work",
              "    if (!isHeldBy(execution) && !isReset()) {\n      // Its work"),
          inEngine(
              "a caller whose batch may be appended gets an error that nothing is written",
              "turn/TurnWork.java",
              "if (mayHaveAppended(e)) {",
              "if (mayHaveAppended(e) && !mayHaveAppended(e)) {"),
          inEngine(
              "an asynchronous call does not carry what it depends on",
              "stub/CallFuture.java",
              "carry(from, position, this, this)",
              "carry(from, 0, this, this)"),
          inEngine(
              "work outside begins before the writes are durable",
              "turn/Waits.java",
              "          awaitDurable(execution, position);\n",
              ""),
          inEngine(
              "sync does not wait for unconfirmed writes",
              "turn/Waits.java",
              "long dependency = turn.output().sealedPosition();",
              "long dependency = turn.output().position();"),
          // ---- Turns
          inEngine(
              "a wait takes its snapshot before the turn is sealed",
              "turn/Turn.java",
              "      if (!work.seal(execution) || !work.letMessagesLeave()) {\n"
                  + "        throw end.error();\n"
                  + "      }\n"
                  + "      work.keepOverWait();\n",
              "      long before = output().position();\n"
                  + "      if (!work.seal(execution) || !work.letMessagesLeave()) {\n"
                  + "        throw end.error();\n"
                  + "      }\n"
                  + "      work.keepOverWait();\n"
                  + "      if (!isReset()) {\n"
                  + "        stateWhenLeft = new TurnState.Waiting(waitingCount() + 1);\n"
                  + "        leave();\n"
                  + "        return before;\n"
                  + "      }\n"),
          inEngine(
              "an asynchronous call leaves before its turn is sealed",
              "stub/Stub.java",
              "        caller.turn().work().send(future);\n",
              "        future.send(caller.turn().parts(),"
                  + " caller.turn().output().position());\n"),
          inEngine(
              "the writes of a turn that was reset are sealed",
              "turn/TurnWork.java",
              "    if (turn.end().isDue()) {\n" + "      // Here",
              "    if (turn.holder() == null) {\n" + "      // Here"),
          inEngine(
              "a call that was cancelled is delivered",
              "instance/Instance.java",
              "if (!message.cancellation().begin()) {",
              "if (!message.cancellation().begin() && turn.isReset()) {"),
          // ---- Queue workers
          inEngine(
              "a call that sleeps is run by the queue worker and by its caller",
              "turn/QueuedCall.java",
              "return state == AWAKE || STATE.compareAndSet(this, ASLEEP, AWAKE);",
              "return state != OVER;"),
          inEngine(
              "calls of an object that waits take two threads each",
              "turn/Turn.java",
              "        callersFirstCount = QueueWorker.CALLERS_FIRST_AFTER_WAIT;\n",
              ""),
          inEngine(
              "an interrupt of one call reaches the next of the queue worker",
              "turn/QueuedCall.java",
              "interrupted = Thread.interrupted();",
              "interrupted = Thread.currentThread().isInterrupted();"),
          inEngine(
              "an interrupt of the caller does not reach its call",
              "turn/QueuedCall.java",
              "    if (running) {\n      call.interrupt();\n    }\n",
              ""),
          inEngine(
              "a busy object keeps the processor for itself",
              "turn/QueueWorker.java",
              "        Thread.yield();\n",
              ""),
          // ---- Resets
          inEngine(
              "a call after the record of a reset is admitted",
              "turn/TurnAdmission.java",
              "return !turn.isReset() && turn.gate().tryEnter();",
              "return turn.gate().tryEnter();"),
          inEngine(
              "a reset does not wake waiters",
              "turn/InstanceReset.java",
              "        waiting.wakeAll();\n",
              ""),
          inEngine(
              "a wait that begins during a reset is not woken",
              "turn/Waits.java",
              "      if (!execution.turn().isReset()) {\n"
                  + "        LockSupport.park(blocker);\n"
                  + "      }\n",
              "      LockSupport.park(blocker);\n"),
          inEngine(
              "the successor runs beside the last turn of its predecessor",
              "instance/Instance.java",
              "new Instance(home, turn.key().id(), /* held= */ !terminated);",
              "new Instance(home, turn.key().id(), /* held= */ false);"),
          inEngine(
              "messages of a turn that was reset are never answered",
              "turn/InstanceReset.java",
              "      message.drop(dismissal());\n",
              ""),
          inEngine(
              "the listener of a dropped message delays the successor",
              "turn/InstanceReset.java",
              "    Turn next = release();\n",
              "    messages.forEach(message -> message.drop(dismissal()));\n"
                  + "    Turn next = release();\n"),
          // ---- Exhaustion
          inEngine(
              "object code that ran out of memory is answered",
              "turn/Turn.java",
              "    if (failure instanceof VirtualMachineError) {\n",
              "    if (failure instanceof VirtualMachineError && isReset()) {\n"),
          inEngine(
              "an engine that ran out of memory continues",
              "turn/EngineFailure.java",
              "        engineFailed.accept(error);\n",
              ""),
          inEngine(
              "a runtime that could not be stopped for lack of memory is not stopped later",
              "turn/EngineFailure.java",
              "        // The first one is the cause; this is tried again.\n"
                  + "        pending = error;\n",
              "        pending = null;\n"),
          inEngine(
              "an instance in which the engine ran out of memory never ends",
              "turn/Turn.java",
              "    // Also if there was no memory for the reset: the next holder cannot go on, and"
                  + " no other thread\n"
                  + "    // can give up this turn.\n"
                  + "    if (isHeldBy(execution)) {\n",
              "    if (false) {\n"),
          inEngine(
              "code goes on after an error of the engine that could not stop the runtime",
              "turn/InstanceReset.java",
              "    return parts.failure().pending() != null || reason != null;\n",
              "    return reason != null;\n"),
          inEngine(
              "a reset after a failed storage that runs out of memory stops nothing",
              "turn/Turn.java",
              "          ResetReason.STORAGE_FAILED,"
                  + " \"The object was reset because its storage failed.\", failure);\n"
                  + "    } catch (RuntimeException | Error e) {\n"
                  + "      throw end.unwinding(e);\n",
              "          ResetReason.STORAGE_FAILED,"
                  + " \"The object was reset because its storage failed.\", failure);\n"
                  + "    } catch (RuntimeException e) {\n"
                  + "      throw end.unwinding(e);\n"),
          inEngine(
              "a call is lost that is given back to a caller that leaves",
              "turn/QueuedCall.java",
              "    return claim() || (!leave() && claim());\n",
              "    return claim() || (leave() && false);\n"),
          inEngine(
              "an unexpected error in the engine is answered",
              "turn/Turn.java",
              "    } catch (Throwable e) {\n      abandon(execution, e);\n",
              "    } catch (VirtualMachineError e) {\n      abandon(execution, e);\n"),
          inEngine(
              "messages after one that could not be sent are forgotten",
              "turn/TurnWork.java",
              "        outbox = messages.subList(sent, messages.size());\n",
              ""),
          inEngine(
              "a logger that throws leaves the instance without an end",
              "report/EventLog.java",
              "    } catch (RuntimeException | Error e) {\n      // There",
              "    } catch (StackOverflowError e) {\n      // There"),
          inEngine(
              "a park without stack stops the runtime",
              "turn/Waits.java",
              "        wait.overflowed(e);\n",
              "        throw e;\n"),
          inEngine(
              "a call whose caller has left and that has no worker holds the turn",
              "turn/QueuedCall.java",
              "      call.turn().run(call, ExecutionStack.current(), _ -> null);\n",
              ""),
          inEngine(
              "a call that was given back is run by its worker as well",
              "turn/QueuedCall.java",
              "      return;\n    }\n    try {\n      synchronized",
              "      state = RUNNING;\n    }\n    try {\n      synchronized"),
          inEngine(
              "a caller that could not park ends the turn of the worker",
              "turn/TurnAdmission.java",
              "if (queued != null && !isHolder && !queued.claimOrLeave()) {",
              "if (queued != null && !isHolder && !queued.claimOrLeave() && call.isQueued()) {"),
          inEngine(
              "a store turn that begins beside a reset is not interrupted",
              "turn/TurnWork.java",
              "        begun.interrupt();\n",
              ""),
          inEngine(
              "the room of the engine is not proven",
              "gate/Headroom.java",
              "      PROBE.invokeExact();\n",
              "      if (taken != 0) {\n        PROBE.invokeExact();\n      }\n"),
          inEngine(
              "an execution outside of its turn seals that of another",
              "turn/Turn.java",
              "    if (!isHeldBy(execution)) {\n"
                  + "      throw end.error();\n"
                  + "    }\n"
                  + "    work.keepCursors();\n",
              "    work.keepCursors();\n"),
          // ---- Waits and admission
          inEngine(
              "an interrupt ends no wait",
              "turn/Waits.java",
              "      if (wait.stops(interrupted)) {\n",
              "      if (wait.stops(false)) {\n"),
          inEngine(
              "a call behind a section is not looked at for a circle",
              "turn/TurnAdmission.java",
              "          turn.parts().deadlocks().refuseCall(call);\n",
              "          call.isQueued();\n"),
          // ---- The order of calls
          inEngine(
              "an asynchronous call does not wait for the one before",
              "instance/Instances.java",
              "Waits.awaitEarlier(sent == null ? null : sent.ahead(), caller,"
                  + " stack.cancellation());",
              "Waits.awaitEarlier(null, caller, stack.cancellation());"),
          inEngine(
              "a direct call of an object overtakes its asynchronous ones",
              "instance/Instances.java",
              "        Waits.awaitEarlierInside(last, caller);\n",
              ""),
          inEngine(
              "the call after one that was never made overtakes those before",
              "gate/SentCall.java",
              "  public void ended() {\n    if (!isOver()) {\n",
              "  public void ended() {\n    if (!isOver()) {\n      ahead = null;\n"),
          // ---- Sections and circles
          inEngine(
              "sections are nested one level less",
              "turn/Sections.java",
              "if (depth > RuntimeBounds.SECTIONS_NESTED_MAX) {",
              "if (depth >= RuntimeBounds.SECTIONS_NESTED_MAX) {"),
          inEngine(
              "a circle of sections is not refused",
              "turn/DeadlockDetector.java",
              "if (circle != null && queued.turn()",
              "if (circle != null && queued.isDismissed() && queued.turn()"),
          inEngine(
              "a section may take for ever",
              "turn/Sections.java",
              "    if (!section.isOver()) {",
              "    if (section.isOver()) {"),
          // ---- Consumers of events
          inEngine(
              "a consumer that has looked for events misses those that came meanwhile",
              "outbox/Delivery.java",
              "      park(next);\n",
              "      Signal late = new Signal();\n      signal = late;\n      park(late);\n"),
          inEngine(
              "a consumer begins before the events that nobody will wake it for are durable",
              "outbox/ConsumerLedger.java",
              "see this consumer are durable, too: the first look finds them.\n"
                  + "      journal.awaitDurable(journal.lastPosition());\n",
              "see this consumer are durable, too: the first look finds them.\n"));

  private PlantedFaults() {}

  private static PlantedFault inEngine(
      String what, String file, String original, String replacement) {
    return new PlantedFault(what, INTERNALS.resolve(file), original, replacement);
  }
}
