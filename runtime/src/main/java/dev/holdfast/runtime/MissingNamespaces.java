package dev.holdfast.runtime;

import dev.holdfast.StorageKind;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectQuery;
import java.util.Set;

/**
 * Namespaces that have data and are not registered. They were removed from the application, or
 * renamed by mistake: their objects cannot be called and their alarms never fire, and nothing else
 * would report it. Stateless.
 */
final class MissingNamespaces {

  private MissingNamespaces() {}

  static void report(EngineParts parts, Set<String> registered) {
    parts
        .backends()
        .forEach(
            (kind, backend) -> {
              ObjectCatalog catalog = backend.catalog();
              for (String name : catalog.namespaces()) {
                if (!registered.contains(name) && hasObjects(catalog, name)) {
                  parts.report(
                      LogEvent.NAMESPACE_MISSING, text(name, kind, hasAlarms(catalog, name)), null);
                }
              }
            });
  }

  private static boolean hasObjects(ObjectCatalog catalog, String namespace) {
    return !catalog.objects(new ObjectQuery(namespace, null, null, 1)).isEmpty();
  }

  /** Not their number: counting reads the whole index. */
  private static boolean hasAlarms(ObjectCatalog catalog, String namespace) {
    return !catalog
        .alarms(new AlarmQuery(namespace, AlarmRecord.State.PENDING, null, Long.MAX_VALUE, 1))
        .isEmpty();
  }

  private static String text(String namespace, StorageKind kind, boolean hasAlarms) {
    return "The namespace \""
        + namespace
        + "\" has objects in "
        + kind
        + " and is not registered: they cannot be called"
        + (hasAlarms ? ", and their alarms do not fire" : "")
        + ". Register it under this name; if it was removed on purpose, its data stay.";
  }
}
