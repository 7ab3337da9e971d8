package dev.holdfast.runtime.internal.instance;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.runtime.internal.outbox.Outbox;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.PointInTimeRecovery.RequestedRestore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.inspect.Inspection.Changed;
import dev.holdfast.statistics.ExecutionStatus;
import dev.holdfast.statistics.ResetReason;
import dev.holdfast.storage.ListOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What operators do with single objects. A restore and a deletion are events of the object that run
 * no code of it, the first after a reset. Thread-safe.
 */
public final class Administration implements ObjectAdmin {

  private static final @Nullable Object[] NO_ARGUMENTS = {};

  /** Purges that have not ended, or have failed. */
  private final Map<ObjectKey, CompletableFuture<Void>> purges = new ConcurrentHashMap<>();

  private final Registered namespaces;
  private final Lifecycle lifecycle;
  private final Outbox outbox;
  private final JournalArchive archive;
  private final Runnable alarms;
  private final Executions executions;
  private final @Nullable StorageKind keeper;

  /** The objects that are being restored or deleted. */
  private final Set<ObjectKey> changing = ConcurrentHashMap.newKeySet();

  /** Lists what runs. */
  @FunctionalInterface
  public interface Executions {

    /**
     * See {@link ObjectAdmin#executions}.
     *
     * @param age only those that have run as long
     * @param withStacks whether to take the stacks of their threads
     * @return the executions, the oldest first
     */
    List<ExecutionStatus> of(Duration age, boolean withStacks);
  }

  /** The namespaces of the runtime. */
  public interface Registered {

    /**
     * Returns the objects of a namespace.
     *
     * @param namespace its name
     * @return its objects
     * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
     */
    Instances of(String namespace);

    /**
     * Returns the objects of a namespace that may have an object.
     *
     * @param namespace its name
     * @param id the object
     * @return its objects
     * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
     * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
     */
    Instances with(String namespace, ObjectId id);
  }

  /**
   * Creates the administration of a runtime.
   *
   * @param namespaces gives the objects of a namespace
   * @param lifecycle the life of the runtime
   * @param outbox knows the consumers of events
   * @param archive the archive of the journal
   * @param alarms starts the firing of alarms, unless it has begun
   * @param executions lists what runs
   * @param keeper a storage that keeps all of its records in the journal, so that no record after
   *     them can be erased; null if there is none
   */
  public Administration(
      Registered namespaces,
      Lifecycle lifecycle,
      Outbox outbox,
      JournalArchive archive,
      Runnable alarms,
      Executions executions,
      @Nullable StorageKind keeper) {
    this.namespaces = namespaces;
    this.lifecycle = lifecycle;
    this.outbox = outbox;
    this.archive = archive;
    this.alarms = alarms;
    this.executions = executions;
    this.keeper = keeper;
  }

  @Override
  public boolean exists(String namespace, ObjectId id) {
    return exists(admitted(namespace, id), id);
  }

  private static boolean exists(Instances instances, ObjectId id) {
    return instances.backend().catalog().has(new ObjectKey(instances.name(), id));
  }

  @Override
  public long size(String namespace, ObjectId id) {
    return new ObjectPeek(admitted(namespace, id)).size(id);
  }

  @Override
  public List<String> keys(String namespace, ObjectId id, ListOptions options) {
    return new ObjectPeek(admitted(namespace, id)).keys(id, options);
  }

  @Override
  public List<String> tables(String namespace, ObjectId id) {
    return new ObjectPeek(admitted(namespace, id)).tables(id);
  }

  @Override
  public SequencedMap<String, Long> versions(String namespace) {
    return new ObjectPeek(admitted(namespaces.of(namespace), null)).versions();
  }

  @Override
  public MigrationReport migrateAll(String namespace, MigrationOptions options) {
    return new MigrationRun(admitted(namespaces.of(namespace), null), options).run();
  }

  @Override
  public CompletableFuture<Void> purgeHistory(String namespace, ObjectId id) {
    Instances instances = admitted(namespace, id);
    ObjectKey key = new ObjectKey(namespace, id);
    if (keeper != null) {
      return remember(
          key,
          CompletableFuture.failedFuture(
              new NamespaceException(namespace, "The history is not purged. " + keeps())));
    }
    return alone(instances, id, () -> remember(key, new HistoryPurge(instances, id).begin()));
  }

  private CompletableFuture<Void> remember(ObjectKey key, CompletableFuture<Void> purge) {
    purges.put(key, purge);
    var _ = purge.thenRun(() -> purges.remove(key, purge));
    return purge;
  }

  /**
   * {@return whether this runtime is purging the history of an object}
   *
   * @param key the object
   * @throws StorageFailedException if it has tried that and failed
   */
  public boolean isPurging(ObjectKey key) {
    CompletableFuture<Void> purge = purges.get(key);
    if (purge == null || !purge.isCompletedExceptionally()) {
      return purge != null;
    }
    Throwable cause = purge.exceptionNow();
    Throwable reason = cause.getCause() != null ? cause.getCause() : cause;
    throw new StorageFailedException(
        key.namespace(),
        key.id(),
        "The history was not purged (" + reason.getMessage() + "); purge it again.",
        cause);
  }

  @Override
  public CompletableFuture<Long> purgeArchive() {
    admit();
    return keeper == null
        ? archive.purge()
        : CompletableFuture.failedFuture(
            new ArchiveException("The archive is not purged. " + keeps(), null));
  }

  private String keeps() {
    return "The storage "
        + keeper
        + " keeps all of its records in the journal, and no record after them can be erased. Use it"
        + " in a runtime whose histories need no purge";
  }

  /**
   * Continues purges that an earlier process has begun.
   *
   * @param recovery knows them
   * @param failed receives the object and the reason when one fails
   */
  public void resumePurges(PointInTimeRecovery recovery, BiConsumer<ObjectKey, Throwable> failed) {
    if (keeper != null) {
      return; // continued in a runtime without it
    }
    for (Purge purge : recovery.unfinishedPurges()) {
      ObjectKey key = purge.key();
      Instances instances;
      try {
        instances = namespaces.with(key.namespace(), key.id());
      } catch (NamespaceException e) {
        continue; // not registered now: continued when it is
      }
      var _ =
          remember(key, new HistoryPurge(instances, key.id()).erase(purge))
              .exceptionally(
                  failure -> {
                    failed.accept(key, failure);
                    return null;
                  });
    }
  }

  @Override
  public boolean evict(String namespace, ObjectId id) {
    return admitted(namespace, id).evict(id);
  }

  @Override
  public boolean reset(String namespace, ObjectId id) {
    return admitted(namespace, id)
        .reset(id, ResetReason.ADMINISTRATION, "The object was reset by an operator.", null);
  }

  @Override
  public String restoreNow(String namespace, ObjectId id, String bookmark) {
    Instances instances = admitted(namespace, id);
    return alone(instances, id, () -> restore(instances, id, bookmark));
  }

  private String restore(Instances instances, ObjectId id, String bookmark) {
    ObjectKey key = new ObjectKey(instances.name(), id);
    PointInTimeRecovery recovery = instances.parts().recovery();
    // Checked and recorded first: a bookmark that cannot be used resets nothing.
    RequestedRestore requested = recovery.requestRestore(key, bookmark);
    instances.reset(
        id,
        ResetReason.ADMINISTRATION,
        "The object was reset because an operator restores an earlier state of it.",
        null);
    // Each instance that is made from now on begins with the restore; this one, or the instance of
    // a call.
    TurnDelivery nothing = (_, _) -> null;
    do {
      Throwable failure = deliver(instances, id, nothing);
      if (failure != null && recovery.isRestorePending(key)) {
        awaitDurable(instances, recovery.withdrawRestore(key));
        throw failed(
            key, "The restore failed and was withdrawn; the object is as it was: ", failure);
      }
    } while (recovery.isRestorePending(key));
    awaitDurable(instances, instances.parts().journal().lastPosition());
    return requested.undoBookmark();
  }

  @Override
  public boolean delete(String namespace, ObjectId id) {
    return deletion(namespace, id).result();
  }

  /**
   * Deletes an object, as {@link ObjectAdmin#delete}.
   *
   * @param namespace the name of its namespace
   * @param id the object
   * @return whether it existed, and a bookmark of the state before
   */
  public Changed<Boolean> deletion(String namespace, ObjectId id) {
    Instances instances = admitted(namespace, id);
    return alone(instances, id, () -> deleted(instances, id));
  }

  private Changed<Boolean> deleted(Instances instances, ObjectId id) {
    if (!exists(instances, id)) {
      // Perhaps not yet: the catalog shows what is durable.
      awaitDurable(instances, instances.parts().journal().lastPosition());
      if (!exists(instances, id)) {
        return new Changed<>(false, null);
      }
    }
    ObjectKey key = new ObjectKey(instances.name(), id);
    PointInTimeRecovery recovery = instances.parts().recovery();
    if (recovery.isRestorePending(key)) {
      // It would be done at the restart that follows, and bring the object back.
      recovery.withdrawRestore(key);
    }
    instances.reset(
        id,
        ResetReason.ADMINISTRATION,
        "The object was reset because an operator deletes it.",
        null);
    Deletion deletion = new Deletion(instances);
    do {
      Throwable failure = deliver(instances, id, deletion);
      if (failure != null && !deletion.over && (deletion.begun || recovery.isRestorePending(key))) {
        throw failed(key, "The object could not be deleted; it is as it was: ", failure);
      }
    } while (!deletion.over);
    awaitDurable(instances, instances.parts().journal().lastPosition());
    return new Changed<>(deletion.existed, deletion.undo);
  }

  private static StorageFailedException failed(ObjectKey key, String what, Throwable cause) {
    return new StorageFailedException(key.namespace(), key.id(), what + cause.getMessage(), cause);
  }

  /**
   * Waits for one event of an object, which another reset may have dropped: it is to be delivered
   * again.
   *
   * @return why the object was reset, if something has failed; null also for the failure of the
   *     journal, which refuses the next event
   */
  private static @Nullable Throwable deliver(
      Instances instances, ObjectId id, TurnDelivery delivery) {
    instances.lifecycle().admitFromOutside();
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    Message message =
        new Message(
            delivery,
            NO_ARGUMENTS,
            stack.inheritedPosition(instances.parts()),
            Cancellation.OPERATOR);
    Execution call = instances.deliver(id, stack, stack.top(), message);
    try {
      call.reply();
      return null;
    } catch (InstanceResetException e) {
      if (delivery instanceof Deletion deletion
          && !deletion.over
          && e.writeOutcome() == WriteOutcome.UNKNOWN) {
        throw e;
      }
      Throwable cause = e.getCause();
      return cause instanceof JournalFailedException ? null : cause;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Administrative work throws nothing checked.", e);
    }
  }

  private static void awaitDurable(Instances instances, long position) {
    try {
      instances.parts().journal().awaitDurable(position);
    } catch (JournalFailedException e) {
      instances.parts().journalFailed(e);
      throw e;
    }
  }

  @Override
  public List<ConsumerStatus> consumers() {
    return outbox.consumers();
  }

  @Override
  public void resetConsumer(String topic, String consumer, ConsumerStart start) {
    admit();
    outbox.reset(topic, consumer, start);
  }

  @Override
  public List<ExecutionStatus> executions(Duration age, boolean withStacks) {
    if (age.isNegative()) {
      throw new IllegalArgumentException("age must not be negative: " + age);
    }
    admit();
    return executions.of(age, withStacks);
  }

  @Override
  public void startAlarms() {
    admit();
    alarms.run();
  }

  @Override
  public boolean removeConsumer(String topic, String consumer) {
    admit();
    return outbox.remove(topic, consumer);
  }

  /**
   * Admits an operation on the whole runtime.
   *
   * @throws MisuseException if an object of the runtime calls
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   */
  public void admit() {
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    Execution caller = stack.top();
    if (caller != null && caller.turn().parts().outbox() == outbox && caller.isCurrentOrReset()) {
      throw insideObject(caller.turn().key());
    }
    lifecycle.admitFromOutside();
  }

  private static MisuseException insideObject(ObjectKey object) {
    return new MisuseException(
        object.namespace(),
        object.id(),
        MisuseException.Reason.INSIDE_OBJECT,
        "An object cannot administer objects of its runtime; do it from outside.");
  }

  private Instances admitted(String namespace, ObjectId id) {
    return admitted(namespaces.with(namespace, id), id);
  }

  private static Instances admitted(Instances instances, @Nullable ObjectId id) {
    ExecutionStack stack = ExecutionStack.current();
    // A reset or an eviction that ends in the middle leaves a gate that no thread opens.
    stack.enterEngine();
    Execution caller = stack.top();
    if (caller != null && instances.isInside(caller)) {
      ObjectId named = id == null ? caller.turn().key().id() : id;
      throw insideObject(new ObjectKey(instances.name(), named));
    }
    instances.lifecycle().admitFromOutside();
    return instances;
  }

  /** Two at once could take the restore of one for the restore of the other. */
  private <R> R alone(Instances instances, ObjectId id, Supplier<R> change) {
    ObjectKey key = new ObjectKey(instances.name(), id);
    if (!changing.add(key)) {
      throw new IllegalStateException(
          "Object "
              + key
              + " is being restored or deleted at this moment; nothing was changed. Wait for"
              + " that.");
    }
    try {
      return change.get();
    } finally {
      changing.remove(key);
    }
  }

  private static final class Deletion implements TurnDelivery {

    private final Instances instances;

    // Set in the turn, read by the same thread afterwards.
    boolean begun;
    boolean over;
    boolean existed;
    @Nullable String undo;

    Deletion(Instances instances) {
      this.instances = instances;
    }

    @Override
    public @Nullable Object deliver(Turn turn, Target target) {
      ObjectId id = turn.key().id();
      // The catalog knows what is durable.
      awaitDurable(instances, turn.output().sealedPosition());
      if (!exists(instances, id)) {
        over = true;
        return null;
      }
      begun = true;
      undo = OperatorChange.bookmark(turn);
      try {
        StoreTurn store = turn.storeTurn();
        store.deleteAll();
        store.setAlarms(List.of());
      } catch (RuntimeException | Error e) {
        // A part of it may be in the turn, which must not be sealed.
        turn.storageFailed(e);
        throw e;
      }
      turn.work().confirmWrites();
      turn.sealAndReset("The object was reset because an operator has deleted it.");
      existed = true;
      over = true;
      return null;
    }
  }
}
