package dev.holdfast.runtime.internal.instance;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.inspect.Inspection.Changed;
import dev.holdfast.statistics.ResetReason;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A change of an object by an operator: an event of the object that runs no code of it, and resets
 * it if it has written. Used by one thread.
 *
 * @param <R> what the change returns
 */
public final class OperatorChange<R> implements TurnDelivery {

  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final Function<StoreTurn, R> change;

  // Set in the turn, read by the same thread afterwards.
  private @Nullable Changed<R> done;
  private boolean isSealed;
  private @Nullable RuntimeException failure;

  private OperatorChange(Function<StoreTurn, R> change) {
    this.change = change;
  }

  /**
   * Changes an object and waits until that is durable.
   *
   * @param instances the objects of its namespace
   * @param id the object, of this namespace
   * @param change what is done
   * @param <R> what the change returns
   * @return what it has returned
   */
  public static <R> Changed<R> run(
      Instances instances, ObjectId id, Function<StoreTurn, R> change) {
    OperatorChange<R> delivery = new OperatorChange<>(change);
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    instances.lifecycle().admitFromOutside();
    Message message =
        new Message(
            delivery,
            NO_ARGUMENTS,
            stack.inheritedPosition(instances.parts()),
            stack.cancellation());
    Execution call = instances.deliver(id, stack, stack.top(), message);
    return delivery.result(instances, call);
  }

  private Changed<R> result(Instances instances, Execution call) {
    instances.awaitOutput(call, this);
    if (isSealed) {
      // The change has reset the instance, so that is the reply; what counts is that it is durable.
      return Objects.requireNonNull(done);
    }
    try {
      call.reply();
    } catch (InstanceResetException e) {
      throw failure == null ? e : failure;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Administrative work throws nothing checked.", e);
    }
    return Objects.requireNonNull(done);
  }

  @Override
  public @Nullable Object deliver(Turn turn, Target target) {
    StoreTurn store = turn.storeTurn();
    String before = bookmark(turn);
    R result;
    try {
      List<AlarmRecord> alarms = store.alarms();
      result = change.apply(store);
      if (!store.alarms().equals(alarms)) {
        ObjectAlarms.requireLegal(store.alarms(), turn.parts());
      }
    } catch (RuntimeException e) {
      failure = e;
      if (store.mayHaveWritten()) {
        // A part of it may be in the turn, which must not be sealed.
        turn.reset(
            ResetReason.ADMINISTRATION,
            "The object was reset because a change of an operator failed: " + e.getMessage(),
            e);
      }
      throw e;
    } catch (Error e) {
      turn.storageFailed(e);
      throw e;
    }
    if (store.mayHaveWritten()) {
      turn.work().confirmWrites();
      turn.sealAndReset("The object was reset because an operator has changed it.");
      done = new Changed<>(result, before);
      isSealed = true;
    } else {
      done = new Changed<>(result, null);
    }
    return null;
  }

  /** {@return the present state; null if the namespace keeps no history} */
  static @Nullable String bookmark(Turn turn) {
    try {
      return turn.bookmarks().current();
    } catch (BookmarkException e) {
      return null;
    }
  }
}
