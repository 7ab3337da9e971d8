package dev.holdfast.runtime;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.runtime.internal.instance.ObjectPast;
import dev.holdfast.runtime.internal.instance.OperatorChange;
import dev.holdfast.runtime.internal.instance.TurnDelivery;
import dev.holdfast.runtime.internal.stub.Namespace;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageBackend.ObjectPresence;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.inspect.Inspection;
import dev.holdfast.spi.inspect.StateDifference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the objects of an engine, in turns that run no code of the application.
 * Thread-safe.
 */
final class EngineInspection implements Inspection {

  private final Engine engine;
  private final JournalHistory journal;
  private final Map<StorageKind, StorageBackend> backends;
  private final PointInTimeRecovery recovery;

  EngineInspection(
      Engine engine,
      JournalHistory journal,
      Map<StorageKind, StorageBackend> backends,
      PointInTimeRecovery recovery) {
    this.engine = engine;
    this.recovery = recovery;
    this.backends = Map.copyOf(backends);
    this.journal = journal;
  }

  @Override
  public SequencedMap<String, StorageKind> namespaces() {
    SequencedMap<String, StorageKind> kinds = new LinkedHashMap<>();
    engine
        .namespaces()
        .forEach((name, each) -> kinds.put(name, each.instances().options().storage()));
    return kinds;
  }

  @Override
  public @Nullable ObjectPresence presenceIn(JournalRecord record) {
    for (StorageBackend backend : backends.values()) {
      ObjectPresence change = backend.presenceIn(record);
      if (change != null) {
        return change;
      }
    }
    return null;
  }

  @Override
  public @Nullable StorageKind storageOf(JournalRecord record) {
    return backends.entrySet().stream()
        .filter(each -> each.getValue().viewId() == record.viewId() && record.kind().isBatch())
        .map(Map.Entry::getKey)
        .findAny()
        .orElse(null);
  }

  @Override
  public @Nullable StorageKind givenUpIn(JournalRecord record) {
    return backends.entrySet().stream()
        .filter(each -> each.getValue().givesUpAll(record))
        .map(Map.Entry::getKey)
        .findAny()
        .orElse(null);
  }

  @Override
  public ObjectKey named(String namespace, String name) {
    return new ObjectKey(namespace, engine.registered(namespace).idFromName(name));
  }

  @Override
  public ObjectKey withId(String namespace, String digits) {
    return new ObjectKey(namespace, engine.registered(namespace).idFromString(digits));
  }

  @Override
  public ObjectKey listed(ObjectKey key) {
    ObjectId found = instances(key.namespace()).backend().catalog().find(key);
    return found == null ? key : new ObjectKey(key.namespace(), found);
  }

  @Override
  public List<ObjectId> objects(ObjectQuery query) {
    return instances(query.namespace()).backend().catalog().objects(query);
  }

  @Override
  public long[] bytes(List<ObjectKey> keys) {
    return keys.isEmpty()
        ? new long[0]
        : instances(keys.getFirst().namespace()).backend().bytes(keys);
  }

  @Override
  public List<AlarmEntry> alarms(AlarmQuery query) {
    return instances(query.namespace()).backend().catalog().alarms(query);
  }

  @Override
  public NamespaceAlarms alarms(String namespace) {
    return engine.registered(namespace).alarms();
  }

  @Override
  @SuppressWarnings("unchecked") // what the reading has returned
  public <R> R read(ObjectKey key, Function<StoreTurn, R> reading) {
    Instances instances = fromOutside(key);
    TurnDelivery delivery = (turn, _) -> reading.apply(turn.storeTurn());
    try {
      Object read = instances.call(key.id(), delivery, new Object[0]);
      return (R) Objects.requireNonNull(read, "a reading returns something");
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Reading " + key + " threw a checked exception.", e);
    }
  }

  @Override
  public <R> Changed<R> change(ObjectKey key, Function<StoreTurn, R> change) {
    return OperatorChange.run(fromOutside(key), key.id(), change);
  }

  @Override
  public Changed<Boolean> delete(ObjectKey key) {
    return engine.admin().deletion(key.namespace(), key.id());
  }

  private Instances fromOutside(ObjectKey key) {
    Namespace<?> namespace = engine.registered(key.namespace());
    namespace.check(key.id());
    if (ExecutionStack.current().top() != null) {
      throw new MisuseException(
          key.namespace(),
          key.id(),
          MisuseException.Reason.INSIDE_OBJECT,
          "An object cannot inspect or change objects; do it from outside.");
    }
    return namespace.instances();
  }

  @Override
  public PastImage image(ObjectKey key, @Nullable String bookmark) {
    return past(key).imageOf(bookmark);
  }

  @Override
  public List<StateDifference> differences(
      ObjectKey key, @Nullable String from, @Nullable String to, int max) {
    return past(key).differences(from, to, max);
  }

  private ObjectPast past(ObjectKey key) {
    return (ObjectPast) engine.recovery(key.namespace(), key.id());
  }

  @Override
  public String bookmark(ObjectKey key, long position) {
    return instances(key.namespace())
        .parts()
        .recovery()
        .bookmark(key, position, /* withNextBatch= */ false);
  }

  @Override
  public boolean isPurging(ObjectKey key) {
    return engine.admin().isPurging(key)
        || recovery.unfinishedPurges().stream().anyMatch(each -> each.key().equals(key));
  }

  @Override
  public List<Purge> purges() {
    return recovery.purges();
  }

  @Override
  public boolean changedAfter(long position, Consumer<ObjectKey> visitor) {
    return backends.values().stream()
        .allMatch(backend -> backend.catalog().changedAfter(position, visitor));
  }

  @Override
  public JournalHistory journal() {
    return journal;
  }

  private Instances instances(String namespace) {
    return engine.registered(namespace).instances();
  }
}
