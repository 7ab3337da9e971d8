package dev.holdfast.runtime.internal.instance;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.storage.StoredNames;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.sql.Migration;
import dev.holdfast.storage.ListOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Looks into the objects of a namespace for operators, in turns that run no code of the
 * application. Thread-safe.
 */
final class ObjectPeek {

  private static final Object[] NO_ARGUMENTS = {};

  private final Instances instances;

  ObjectPeek(Instances instances) {
    this.instances = instances;
  }

  private boolean hasSql() {
    return instances.options().storage().equals(StorageKind.SQLITE);
  }

  long size(ObjectId id) {
    return read(id, 0L, hasSql() ? StoreTurn::databaseSize : StoredNames::bytes);
  }

  List<String> keys(ObjectId id, ListOptions options) {
    ObjectKey key = new ObjectKey(instances.name(), id);
    return read(id, List.of(), turn -> StoredNames.keys(key, turn, options));
  }

  List<String> tables(ObjectId id) {
    return hasSql() ? read(id, List.of(), StoredNames::tables) : List.of();
  }

  SequencedMap<String, Long> versions() {
    NamespaceOptions options = instances.options();
    SequencedMap<String, Long> versions = new LinkedHashMap<>();
    versions.put("", 0L);
    options.migrations().stream().map(Migration::name).forEach(step -> versions.put(step, 0L));
    forEach(
        id -> {
          List<String> run = read(id, List.of(), StoreTurn::migrationsRun);
          versions.merge(run.isEmpty() ? "" : run.getLast(), 1L, Long::sum);
        });
    versions.values().removeIf(count -> count == 0);
    return versions;
  }

  /** Passes all objects to a visitor, page by page: the visitor may take turns of them. */
  void forEach(Consumer<ObjectId> visitor) {
    ObjectId after = null;
    List<ObjectId> page;
    do {
      page =
          instances
              .backend()
              .catalog()
              .objects(new ObjectQuery(instances.name(), null, after, RuntimeBounds.CATALOG_PAGE));
      page.forEach(visitor);
      after = page.isEmpty() ? null : page.getLast();
    } while (page.size() == RuntimeBounds.CATALOG_PAGE);
  }

  /** Reads an object that exists: the turn of another one may create a file for it. */
  @SuppressWarnings("unchecked") // what the reading has returned
  private <R> R read(ObjectId id, R ofNothing, Function<StoreTurn, R> reading) {
    ObjectKey key = new ObjectKey(instances.name(), id);
    if (!instances.backend().catalog().has(key)) {
      // Perhaps not yet: the catalog shows what is durable.
      instances.parts().journal().awaitDurable(instances.parts().journal().lastPosition());
      if (!instances.backend().catalog().has(key)) {
        return ofNothing;
      }
    }
    TurnDelivery delivery = (turn, _) -> reading.apply(turn.storeTurn());
    try {
      return (R) Objects.requireNonNull(instances.call(id, delivery, NO_ARGUMENTS));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Reading " + key + " threw a checked exception.", e);
    }
  }
}
