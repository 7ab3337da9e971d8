package dev.holdfast.alarms;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.AlarmTarget;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageBackend;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The alarms of a runtime. Only the alarms that are due next are in memory; the others are in the
 * catalogs of the storage backends. Thread-safe.
 */
public final class Alarms implements AlarmService {

  private final Map<String, Namespace> namespaces;
  private final AlarmRules rules;
  private final Dispatcher dispatcher;

  /**
   * A namespace with alarms.
   *
   * @param catalog the catalog of the backend that keeps its objects
   * @param policy the retry policy for failed handlers
   * @param isOpening whether the storage is opening an object now; see {@link
   *     dev.holdfast.spi.StorageBackend#isOpening}
   */
  public record Namespace(
      ObjectCatalog catalog, AlarmPolicy policy, Predicate<ObjectKey> isOpening) {}

  /**
   * The resources that alarms use; their owner closes them.
   *
   * @param journal makes changes durable
   * @param time the clock; creates the threads of handlers
   * @param random for the random part of delays
   */
  public record Host(Journal journal, TimeSource time, RandomGenerator random) {}

  /**
   * Creates the alarms of a runtime. Call it before the first turn of an object: counts the pending
   * alarms, which reads the index. Fires nothing before {@link #start}.
   *
   * @param host the resources to use
   * @param namespaces the namespaces with alarms, by name
   * @param options how alarms are fired
   * @throws dev.holdfast.errors.DataDirectoryException if the index cannot be read
   */
  public Alarms(Host host, Map<String, Namespace> namespaces, AlarmOptions options) {
    this.namespaces = Map.copyOf(namespaces);
    this.rules = new AlarmRules(host.random());
    this.dispatcher = new Dispatcher(host, this.namespaces, options, rules);
    Set<ObjectCatalog> catalogs = new HashSet<>();
    namespaces.values().forEach(each -> catalogs.add(each.catalog()));
    catalogs.forEach(catalog -> catalog.onAlarmsChanged(dispatcher::changed));
  }

  /**
   * {@return the namespaces whose objects the backends of this runtime keep}
   *
   * @param options the options of each namespace, by its name
   * @param backends the backends, by the storage that they are
   */
  public static Map<String, Namespace> namespaces(
      Map<String, NamespaceOptions> options, Map<StorageKind, StorageBackend> backends) {
    Map<String, Namespace> found = new HashMap<>();
    options.forEach(
        (name, each) -> {
          StorageBackend backend = backends.get(each.storage());
          if (backend != null) {
            found.put(name, new Namespace(backend.catalog(), each.alarms(), backend::isOpening));
          }
        });
    return found;
  }

  @Override
  public void start(AlarmTarget target) {
    dispatcher.start(target);
  }

  @Override
  public AlarmRecord first(String name, String schedule, long nowMillis) {
    return rules.first(name, schedule, nowMillis);
  }

  @Override
  public AlarmRecord admit(AlarmEntry entry, long nowMillis) {
    return rules.admit(entry.alarm(), nowMillis);
  }

  @Override
  public AlarmRecord reckon(AlarmEntry entry, long nowMillis) {
    return rules.reckon(entry.alarm(), policy(entry.key()), nowMillis);
  }

  @Override
  public @Nullable AlarmRecord afterSuccess(AlarmEntry fired, long nowMillis) {
    return rules.afterRun(fired.alarm(), nowMillis);
  }

  @Override
  public AlarmRecord afterFailure(AlarmEntry fired, boolean retry, long nowMillis) {
    return rules.afterFailure(fired.alarm(), retry, policy(fired.key()), nowMillis);
  }

  private AlarmPolicy policy(ObjectKey key) {
    Namespace namespace = namespaces.get(key.namespace());
    return namespace == null ? AlarmPolicy.DEFAULT : namespace.policy();
  }

  @Override
  public long lateMillis(long nowMillis) {
    return dispatcher.lateMillis(nowMillis);
  }

  @Override
  public Counts counts(String namespace) {
    return dispatcher.counts(namespace);
  }

  @Override
  public SortedMap<String, Long> abandoned() {
    return dispatcher.abandoned();
  }

  @Override
  public void close() {
    dispatcher.close();
  }
}
