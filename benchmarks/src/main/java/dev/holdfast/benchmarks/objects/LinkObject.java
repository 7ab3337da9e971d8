package dev.holdfast.benchmarks.objects;

import dev.holdfast.ObjectContext;
import dev.holdfast.storage.ObjectStorage;

/** {@link Link} as a durable object: {@code a-1} is followed by {@code a-2}. Owned by its turns. */
final class LinkObject implements Link {
  private final ObjectContext context;
  private final ObjectStorage storage;

  LinkObject(ObjectContext context) {
    this.context = context;
    this.storage = context.storage();
  }

  @Override
  public long add(long delta, int linksAfter) {
    long total = storage.get("total", Long.class).orElse(0L) + delta;
    storage.put("total", total);
    return linksAfter == 0 ? total : total + next().add(delta, linksAfter - 1);
  }

  private Link next() {
    String name = context.id().name().orElseThrow();
    int dash = name.lastIndexOf('-');
    int number = Integer.parseInt(name.substring(dash + 1));
    return context
        .namespace("links", Link.class)
        .getByName(name.substring(0, dash + 1) + (number + 1));
  }
}
