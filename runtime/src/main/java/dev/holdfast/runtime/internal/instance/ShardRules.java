package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.MisuseException.Reason;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.spi.ObjectKey;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster does otherwise, or refuses, on one machine: {@link
 * dev.holdfast.RuntimeOptions#withShardRules}. Without the option each of these does nothing.
 * Stateless.
 */
public final class ShardRules {

  private ShardRules() {}

  /**
   * Whether an object that has its turn uses one that a cluster may have in another shard.
   *
   * @param caller in this runtime
   * @param id the other object
   */
  static boolean areApart(Execution caller, ObjectId id) {
    Turn turn = caller.turn();
    return turn.parts().shardRules()
        && turn.key().id().slot() != id.slot()
        && turn.isHeldBy(caller);
  }

  /**
   * Ends the turn of an object that is going to send a call to another shard.
   *
   * @param instances the objects of the called one's namespace
   * @param caller the object's code
   * @param id the called object
   */
  public static void leaveFor(Instances instances, Execution caller, ObjectId id) {
    if (areApart(caller, id) && instances.isInside(caller)) {
      boolean _ = outside(caller, () -> true);
    }
  }

  /**
   * Reads from all shards: the turn of an object that does so ends before.
   *
   * @param <T> what is read
   * @param parts of the runtime
   * @param reading reads it
   * @return what was read
   */
  public static <T> T inAll(EngineParts parts, Supplier<T> reading) {
    Execution caller = inObject(parts);
    return caller == null ? reading.get() : outside(caller, reading);
  }

  private static <T> T outside(Execution caller, Supplier<T> work) {
    try {
      return Waits.call(caller.turn(), work::get);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("Work outside of a turn threw a checked exception.", e);
    }
  }

  /** {@return the object's code that the current thread runs in its turn; null if it runs none} */
  private static @Nullable Execution inObject(EngineParts parts) {
    if (!parts.shardRules()) {
      return null;
    }
    Execution caller = ExecutionStack.current().top();
    return caller != null && caller.turn().isHeldBy(caller) ? caller : null;
  }

  /**
   * Refuses work of operators in the code of an object.
   *
   * @param parts of the runtime
   * @param namespace of the object that it is about
   * @param id the object; null if it is about all
   * @throws MisuseException if an object is about to do it
   */
  public static void refuseInObject(EngineParts parts, String namespace, @Nullable ObjectId id) {
    Execution caller = inObject(parts);
    if (caller != null) {
      throw new MisuseException(
          namespace,
          id == null ? caller.turn().key().id() : id,
          Reason.INSIDE_OBJECT,
          "A cluster refuses this operation in an object, and so do the rules of shards. Do it from"
              + " outside.");
    }
  }

  /** Refuses a fork that would leave the shard of its origin. */
  static void requireSameSlot(EngineParts parts, ObjectKey origin, ObjectId fork) {
    if (parts.shardRules() && origin.id().slot() != fork.slot()) {
      throw new MisuseException(
          origin.namespace(),
          fork,
          Reason.ANOTHER_SHARD,
          "A fork stays in the shard of its origin, "
              + origin.id().toDisplayString()
              + ", and the rules of shards count different slots as different shards. Fork it near"
              + " its origin: fork(bookmark, name, near) with the id of that, or export the object"
              + " and import it.");
    }
  }
}
