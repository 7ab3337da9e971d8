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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
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

  /**
   * On a platform thread: the format would pass the work of a virtual one to another thread, and
   * migrations of the namespace that are code run on the thread of the turn.
   */
  void importFrom(Path file) {
    requireOutside(ExecutionStack.current());
    if (!Thread.currentThread().isVirtual()) {
      importHere(file);
      return;
    }
    FutureTask<@Nullable Void> imported = new FutureTask<>(() -> importHere(file), null);
    Thread thread = Thread.ofPlatform().daemon().name("holdfast-import").start(imported);
    try {
      await(imported, thread);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failed -> throw failed;
        case Error failed -> throw failed;
        case null, default ->
            throw new IllegalStateException("An import throws nothing checked.", e);
      }
    }
  }

  /** An interrupt is passed on: the thread says what that has ended. */
  private static void await(FutureTask<?> work, Thread thread) throws ExecutionException {
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          work.get();
          return;
        } catch (InterruptedException e) {
          isInterrupted = true;
          thread.interrupt();
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void importHere(Path file) {
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
    Execution caller = requireOutside(stack);
    instances.lifecycle().admitFromOutside();
    Message message =
        new Message(
            delivery, NO_ARGUMENTS, stack.inheritedPosition(instances.parts()), Cancellation.NEVER);
    return instances.deliver(id, stack, caller, message);
  }

  /** {@return the execution that calls, which is not one of this runtime; null if none does} */
  private @Nullable Execution requireOutside(ExecutionStack stack) {
    Execution caller = stack.top();
    if (caller != null && instances.isInside(caller)) {
      throw new MisuseException(
          instances.name(),
          id,
          MisuseException.Reason.INSIDE_OBJECT,
          "An object cannot export or import objects of its runtime; do it from outside.");
    }
    return caller;
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
