package dev.holdfast.testkit;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.catalog.CatalogBacklog;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.SharedNames;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The catalog of the backend in memory: sorts on each query. Thread-safe. */
final class InMemoryCatalog implements ObjectCatalog {

  private static final Comparator<ObjectId> ORDER =
      Comparator.comparing((ObjectId id) -> id.name().isEmpty())
          .thenComparing(
              id -> id.name().map(InMemoryCatalog::utf8).orElseGet(id::toBytes),
              Arrays::compareUnsigned)
          .thenComparing(ObjectId::toBytes, Arrays::compareUnsigned);

  /** The state of one object. */
  private record Known(@Nullable String name, List<AlarmRecord> alarms) {}

  private final Journal journal;
  private final CatalogBacklog backlog = new CatalogBacklog();
  private final Map<ObjectKey, Known> objects = new HashMap<>(); // guarded by this

  /** The objects with a name, by their namespace and the name; guarded by this. */
  private final Map<List<String>, Set<ObjectId>> names = new HashMap<>();

  private final SharedNames shared = new SharedNames();
  private volatile AlarmsListener listener = (_, _, _) -> {};

  InMemoryCatalog(Journal journal) {
    this.journal = journal;
  }

  /** Adds the change of a batch that was appended. */
  void sealed(long position, ObjectKey key, CatalogChange change) {
    backlog.add(position, key, change);
    if (change.alarms() != null) {
      listener.changed(key, change.alarms().after(), change.alarms().before());
    }
  }

  @Override
  public synchronized Set<String> namespaces() {
    applyDurable();
    return objects.keySet().stream().map(ObjectKey::namespace).collect(Collectors.toSet());
  }

  synchronized void redo(ObjectKey key, CatalogChange change) {
    Known before = objects.getOrDefault(key, new Known(null, List.of()));
    if (!change.exists()) {
      objects.remove(key);
      if (before.name() != null) {
        named(key, before.name()).remove(key.id());
      }
      return;
    }
    String name = change.name() != null ? change.name() : before.name();
    if (name != null && before.name() == null) {
      Set<ObjectId> others = named(key, name);
      if (others.add(key.id()) && others.size() > 1) {
        shared.add(new ObjectKey(key.namespace(), ObjectId.of(key.id().toBytes(), name)));
      }
    }
    objects.put(
        key, new Known(name, change.alarms() != null ? change.alarms().after() : before.alarms()));
  }

  private Set<ObjectId> named(ObjectKey key, String name) {
    return names.computeIfAbsent(List.of(key.namespace(), name), _ -> new HashSet<>());
  }

  @Override
  public synchronized List<ObjectKey> takeSharedNames() {
    applyDurable();
    return shared.take();
  }

  @Override
  public synchronized @Nullable ObjectId find(ObjectKey key) {
    applyDurable();
    Known known = objects.get(key);
    return known == null ? null : ObjectId.of(key.id().toBytes(), known.name());
  }

  synchronized void clear() {
    objects.clear();
    names.clear();
  }

  /** {@return the durable alarms of an object} */
  synchronized List<AlarmRecord> redoneAlarms(ObjectKey key) {
    Known known = objects.get(key);
    return known == null ? List.of() : known.alarms();
  }

  @Override
  public void onAlarmsChanged(AlarmsListener newListener) {
    listener = newListener;
  }

  @Override
  public synchronized List<ObjectId> objects(ObjectQuery query) {
    applyDurable();
    return objects.entrySet().stream()
        .filter(entry -> entry.getKey().namespace().equals(query.namespace()))
        .map(entry -> ObjectId.of(entry.getKey().id().toBytes(), entry.getValue().name()))
        .filter(id -> query.prefix() == null || hasPrefix(id.name(), query.prefix()))
        .filter(id -> query.after() == null || ORDER.compare(id, query.after()) > 0)
        .sorted(ORDER)
        .limit(query.limit())
        .toList();
  }

  private static boolean hasPrefix(Optional<String> name, @Nullable String prefix) {
    return name.isPresent() && name.get().startsWith(Objects.requireNonNull(prefix));
  }

  @Override
  public synchronized List<AlarmEntry> alarms(AlarmQuery query) {
    applyDurable();
    return objects.entrySet().stream()
        .filter(entry -> entry.getKey().namespace().equals(query.namespace()))
        .flatMap(
            entry ->
                entry.getValue().alarms().stream()
                    .map(alarm -> new AlarmEntry(named(entry.getKey(), entry.getValue()), alarm)))
        .filter(entry -> entry.alarm().state() == query.state())
        .filter(entry -> entry.alarm().dueMillis() <= query.dueMillisMax())
        .filter(
            entry -> query.after() == null || AlarmEntry.ORDER.compare(entry, query.after()) > 0)
        .sorted(AlarmEntry.ORDER)
        .limit(query.limit())
        .toList();
  }

  @Override
  public synchronized long alarmCount(String namespace, AlarmRecord.State state) {
    applyDurable();
    return objects.entrySet().stream()
        .filter(entry -> entry.getKey().namespace().equals(namespace))
        .flatMap(entry -> entry.getValue().alarms().stream())
        .filter(alarm -> alarm.state() == state)
        .count();
  }

  private static ObjectKey named(ObjectKey key, Known known) {
    return new ObjectKey(key.namespace(), ObjectId.of(key.id().toBytes(), known.name()));
  }

  private void applyDurable() {
    backlog
        .takeDurable(journal.durablePosition())
        .forEach(waiting -> redo(waiting.key(), waiting.change()));
  }

  private static byte[] utf8(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }
}
