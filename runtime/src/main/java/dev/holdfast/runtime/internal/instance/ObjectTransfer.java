package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.storage.KeyText;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectFileFormat.PendingFile;
import dev.holdfast.spi.ObjectFileFormat.Terms;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Carries the state of one object to a file and back: an event of the object, in its turn, that
 * runs no code of it. Thread-safe.
 */
final class ObjectTransfer {

  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final Instances instances;
  private final ObjectFileFormat files;
  private final ObjectId id;

  /**
   * Creates the access to an object.
   *
   * @param instances the objects of its namespace
   * @param files the format of files
   * @param id its id, of this namespace
   */
  ObjectTransfer(Instances instances, ObjectFileFormat files, ObjectId id) {
    this.instances = instances;
    this.files = files;
    this.id = id;
  }

  void exportTo(Path file) {
    Export export = new Export(file);
    Execution call = deliver(export);
    try (PendingFile written = export.written) {
      // What a crash could take back must not be in a file that it leaves.
      instances.awaitOutput(call, export);
      reply(call);
      if (written != null) {
        written.publish();
      }
    }
  }

  void importFrom(Path file) {
    Import delivery = new Import(file);
    Execution call = deliver(delivery);
    if (!delivery.sealed) {
      reply(call);
      return;
    }
    // The import has reset the instance, so that is the reply; what counts is that it is durable.
    instances.awaitOutput(call, delivery);
  }

  private Execution deliver(TurnDelivery delivery) {
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    Execution caller = stack.top();
    if (caller != null && instances.isInside(caller)) {
      throw new MisuseException(
          instances.name(),
          id,
          MisuseException.Reason.INSIDE_OBJECT,
          "An object cannot export or import objects of its runtime; do it from outside.");
    }
    instances.lifecycle().admitFromOutside();
    Message message =
        new Message(
            delivery, NO_ARGUMENTS, stack.inheritedPosition(instances.parts()), Cancellation.NEVER);
    return instances.deliver(id, stack, caller, message);
  }

  /** Throws what the call has failed with. */
  private static void reply(Execution call) {
    try {
      call.reply();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Administrative work throws nothing checked.", e);
    }
  }

  private Terms terms(Turn turn) {
    return new Terms(
        instances.migrations(turn),
        alarms -> ObjectAlarms.requireLegal(alarms, turn.parts()),
        KeyText::isKey,
        turn::isReset);
  }

  private final class Export implements TurnDelivery {

    private final Path file;

    /** Set in the turn, read by the same thread afterwards. */
    @Nullable PendingFile written;

    Export(Path file) {
      this.file = file;
    }

    @Override
    public @Nullable Object deliver(Turn turn, Target target) {
      // Also the writes that were not to be waited for: the file has them.
      turn.work().confirmWrites();
      written = files.write(turn.key(), turn.storeTurn(), file);
      return null;
    }
  }

  private final class Import implements TurnDelivery {

    private final Path file;

    /** Whether the import is a batch; set in the turn, read by the same thread afterwards. */
    boolean sealed;

    Import(Path file) {
      this.file = file;
    }

    @Override
    public @Nullable Object deliver(Turn turn, Target target) {
      try {
        files.read(turn.key(), file, turn.storeTurn(), terms(turn));
      } catch (ObjectFileException e) {
        throw e;
      } catch (RuntimeException | Error e) {
        // Half of the file may be in the turn, which must not be sealed.
        turn.storageFailed(e);
        throw e;
      }
      turn.work().confirmWrites();
      turn.sealAndReset("The object was reset because a file was imported into it.");
      sealed = true;
      return null;
    }
  }
}
