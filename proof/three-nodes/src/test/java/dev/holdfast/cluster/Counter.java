package dev.holdfast.cluster;

import dev.holdfast.ObjectContext;

/** The object of tests that only need one: it counts. */
public interface Counter {

  /** Adds to the count, and returns it. */
  long add(long more);

  /** Keeps the count in its storage. */
  record CounterObject(ObjectContext context) implements Counter {

    @Override
    public long add(long more) {
      long count = context.storage().get("count", Long.class).orElse(0L) + more;
      context.storage().put("count", count);
      return count;
    }
  }
}
