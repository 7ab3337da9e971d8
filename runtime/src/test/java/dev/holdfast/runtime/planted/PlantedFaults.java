package dev.holdfast.runtime.planted;

import java.util.List;

/** The faults that are planted in gate and turn code. Each must make a test fail. */
final class PlantedFaults {

  static final List<PlantedFault> ALL =
      List.of(
          // ---- The input gate
          new PlantedFault(
              "the way into an idle object is not atomic",
              "gate/InputGate.java",
              "return state == OPEN && STATE.compareAndSet(this, OPEN, HELD);",
              "if (state == OPEN) { state = HELD; return true; } return false;"),
          new PlantedFault(
              "two waiters are woken",
              "gate/InputGate.java",
              "      held = next != null;\n",
              "      held = next != null;\n      Waiter second = queueOf(section).poll();\n"
                  + "      if (second != null) {\n        waitingCount--;\n"
                  + "        second.setStanding(Waiter.Standing.ADMITTED);\n"
                  + "        second.admitted(0);\n      }\n"),
          new PlantedFault(
              "a wake-up is lost",
              "gate/InputGate.java",
              "      next.admitted(behindCount);\n",
              "      next.isQueued();\n"),
          new PlantedFault(
              "the last in the queue is first",
              "gate/WaiterQueue.java",
              "    Waiter first = peek();\n",
              "    Waiter first = peek() == null ? null : ends.last();\n"),
          new PlantedFault(
              "the bound of the queue is one too high",
              "gate/InputGate.java",
              "waitingCount >= waitingMax",
              "waitingCount > waitingMax"),
          new PlantedFault(
              "a section lets others in while it waits",
              "gate/InputGate.java",
              "if (!held && place == section) {",
              "if (!held) {"),
          new PlantedFault(
              "who waits inside a section is forgotten at its end",
              "gate/InputGate.java",
              "    queueOf(section).takeAll(ended.waiters());\n",
              ""),
          new PlantedFault(
              "a shut gate forgets who waits",
              "gate/InputGate.java",
              "    target.takeAll(queueOf(null));\n",
              ""),
          new PlantedFault(
              "an idle instance ends while an execution waits",
              "turn/Ending.java",
              "if (wasIdle && turns.suspension().isEmpty() && turns.gate()",
              "if (wasIdle && turns.gate()"),
          new PlantedFault(
              "who becomes idle while the question is asked is not asked again",
              "turn/Ending.java",
              "if (wasIdle || !idle.getAsBoolean()) {",
              "if (true) {"),
          // ---- The output gate
          new PlantedFault(
              "a reply does not wait for the disk",
              "gate/OutputGate.java",
              "      journal.awaitDurable(dependency);\n",
              ""),
          new PlantedFault(
              "confirmed and unconfirmed are taken for each other",
              "gate/OutputGate.java",
              "    if (confirmed) {",
              "    if (!confirmed) {"),
          new PlantedFault(
              "a confirmation lasts for later turns",
              "turn/TurnWork.java",
              "  void clear() {\n    confirmed = false;",
              "  void clear() {"),
          new PlantedFault(
              "the reply does not know what it depends on",
              "turn/Turns.java",
              "execution.setOver(sealed ? output.position() : ending.resetPosition());",
              "execution.setOver(sealed ? 0 : ending.resetPosition());"),
          new PlantedFault(
              "a reply between objects does not hand on what it depends on",
              "instance/Instances.java",
              "    caller.turns().output().raiseTo(call.position());\n",
              ""),
          new PlantedFault(
              "a call between objects does not hand on what it depends on",
              "instance/Instance.java",
              "    turns.output().raiseTo(message.position());\n",
              ""),
          new PlantedFault(
              "a fresh instance does not know what its predecessor wrote",
              "instance/Instance.java",
              "inherit(home.undurablePosition(), home.undurableBatch());",
              "inherit(0, home.undurableBatch());"),
          new PlantedFault(
              "a fresh instance does not know what its predecessor wrote unconfirmed",
              "instance/Instance.java",
              "inherit(home.undurablePosition(), home.undurableBatch());",
              "inherit(home.undurablePosition(), 0);"),
          new PlantedFault(
              "a confirmed write of what is there does not wait for who put it there",
              "turn/Turns.java",
              "    output.raiseTo(output.sealedPosition());\n",
              ""),
          new PlantedFault(
              "who waited for a journal that failed goes on before it is reset",
              "turn/Waits.java",
              "      turns.reset(\"The object was reset because the journal failed.\", e);\n",
              ""),
          new PlantedFault(
              "a call from outside of the turn of a reset object ends the turn of another",
              "turn/Suspension.java",
              "    if (!turns.isRunning(execution)) {\n",
              "    if (!turns.isRunning(execution) && !turns.isReset()) {\n"),
          new PlantedFault(
              "who may have appended a batch is told that nothing is written",
              "turn/TurnSeal.java",
              "if (mayHaveAppended(e)) {",
              "if (mayHaveAppended(e) && !mayHaveAppended(e)) {"),
          new PlantedFault(
              "an asynchronous call does not carry what it depends on",
              "stub/CallFuture.java",
              "carry(from, position, this, this)",
              "carry(from, 0, this, this)"),
          new PlantedFault(
              "work outside begins before the writes are durable",
              "turn/Waits.java",
              "    awaitDurable(turns, turns.suspension().suspend(execution));\n",
              "    turns.suspension().suspend(execution);\n"),
          new PlantedFault(
              "sync does not wait for unconfirmed writes",
              "turn/Waits.java",
              "long dependency = turns.output().sealedPosition();",
              "long dependency = turns.output().position();"),
          // ---- Turns
          new PlantedFault(
              "a wait takes its snapshot before the turn is sealed",
              "turn/Suspension.java",
              "    turns.sealBeforeWait(execution);\n    suspendedCount++;\n",
              "    long before = turns.output().position();\n"
                  + "    turns.sealBeforeWait(execution);\n"
                  + "    suspendedCount++;\n"
                  + "    if (suspendedCount > 0) {\n"
                  + "      turns.leave();\n"
                  + "      return before;\n"
                  + "    }\n"),
          new PlantedFault(
              "an asynchronous call leaves before its turn is sealed",
              "stub/Stub.java",
              "      caller.turns().send(future);\n",
              "      future.send(caller.turns().services(),"
                  + " caller.turns().output().position());\n"),
          new PlantedFault(
              "the writes of a turn that was reset are sealed",
              "turn/TurnSeal.java",
              "    if (turns.isReset()) {",
              "    if (turns.current == null) {"),
          new PlantedFault(
              "a call that was cancelled is delivered",
              "instance/Instance.java",
              "if (!message.patience().begin()) {",
              "if (!message.patience().begin() && turns.isReset()) {"),
          // ---- Drains
          new PlantedFault(
              "a call that sleeps is run by the drain and by its caller",
              "turn/QueuedCall.java",
              "if (state == AWAKE || STATE.compareAndSet(this, ASLEEP, AWAKE)) {",
              "if (state != OVER) {"),
          new PlantedFault(
              "calls of an object that waits take two threads each",
              "turn/Suspension.java",
              "      handOverCount = HAND_OVERS_AFTER_WAIT;\n",
              ""),
          new PlantedFault(
              "an interrupt of one call reaches the next of the drain",
              "turn/QueuedCall.java",
              "interrupted = Thread.interrupted();",
              "interrupted = Thread.currentThread().isInterrupted();"),
          new PlantedFault(
              "an interrupt of the caller does not reach its call",
              "turn/QueuedCall.java",
              "    if (running) {\n      call.interrupt();\n    }\n",
              ""),
          new PlantedFault(
              "a busy object keeps the processor for itself",
              "turn/Drain.java",
              "      if (count % CALLS_BEFORE_YIELD == 0) {\n        Thread.yield();\n      }\n",
              ""),
          // ---- Resets
          new PlantedFault(
              "who comes after a reset was noted gets in",
              "turn/Turns.java",
              "return !isReset() && gate.tryEnter();",
              "return gate.tryEnter();"),
          new PlantedFault(
              "a reset does not wake who waits",
              "turn/Ending.java",
              "    turns.suspension().waiting().wakeAll();\n",
              ""),
          new PlantedFault(
              "who begins to wait during a reset is not woken",
              "turn/Suspension.java",
              "    if (!turns.isReset()) {\n      LockSupport.park(blocker);\n    }\n",
              "    LockSupport.park(blocker);\n"),
          new PlantedFault(
              "the successor runs beside the last turn of its predecessor",
              "instance/Instance.java",
              "new Instance(home, turns.key().id(), /* held= */ !terminated);",
              "new Instance(home, turns.key().id(), /* held= */ false);"),
          new PlantedFault(
              "messages of a turn that was reset are never answered",
              "turn/Ending.java",
              "      messages.forEach(message -> message.drop(dismissal()));\n",
              ""),
          new PlantedFault(
              "who learns of a dropped message holds up the successor",
              "turn/Ending.java",
              "    end.terminated();\n"
                  + "    // Last: it may run code of the application, which may call this object"
                  + " and wait for it.\n"
                  + "    if (!messages.isEmpty()) {\n"
                  + "      messages.forEach(message -> message.drop(dismissal()));\n"
                  + "    }\n",
              "    messages.forEach(message -> message.drop(dismissal()));\n"
                  + "    end.terminated();\n"),
          new PlantedFault(
              "what a thread without stack left undone is left so",
              "turn/Ending.java",
              "    if (!lost) {\n      return;\n    }\n    Headroom",
              "    if (!lost || turns != null) {\n      return;\n    }\n    Headroom"),
          // ---- The order of calls
          new PlantedFault(
              "an asynchronous call does not wait for the one before",
              "instance/Instances.java",
              "CallOrdering.await(sent == null ? null : sent.ahead(), caller, stack.patience());",
              "CallOrdering.await(null, caller, stack.patience());"),
          new PlantedFault(
              "a direct call of an object overtakes its asynchronous ones",
              "instance/Instances.java",
              "        CallOrdering.awaitInside(last, caller);\n",
              ""),
          new PlantedFault(
              "the call after one that came to nothing overtakes those before",
              "gate/SentCall.java",
              "  public void ended() {\n    if (!isOver()) {\n",
              "  public void ended() {\n    if (!isOver()) {\n      ahead = null;\n"),
          // ---- Sections and circles
          new PlantedFault(
              "sections are nested one level less",
              "turn/CriticalSections.java",
              "if (depth > Section.DEPTH_MAX) {",
              "if (depth >= Section.DEPTH_MAX) {"),
          new PlantedFault(
              "a circle of sections is not refused",
              "turn/DeadlockDetector.java",
              "if (circle != null && queued.turns()",
              "if (circle != null && queued.isDismissed() && queued.turns()"),
          new PlantedFault(
              "a section may take for ever",
              "turn/CriticalSections.java",
              "    if (!section.isOver()) {",
              "    if (section.isOver()) {"));

  private PlantedFaults() {}
}
