package dev.holdfast.simulation;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Collects entries, and sends them to an outbox when its alarm fires. */
interface Digest {

  Duration DELAY = Duration.ofMinutes(1);

  void add(String entry);

  List<String> pending();

  /** Deletes what it has sent: an entry that is added meanwhile stays. */
  class Careful implements Digest, AlarmHandler {

    final ObjectContext context;
    final ObjectStorage storage;
    private final Supplier<ObjectNamespace<Outbox>> outboxes;

    Careful(ObjectContext context, Supplier<ObjectNamespace<Outbox>> outboxes) {
      this.context = context;
      this.storage = context.storage();
      this.outboxes = outboxes;
    }

    @Override
    public void add(String entry) {
      storage.put(entry, true);
      if (storage.getAlarm().isEmpty()) {
        storage.setAlarm(context.clock().instant().plus(DELAY));
      }
    }

    @Override
    public List<String> pending() {
      return List.copyOf(storage.list(Boolean.class).keySet());
    }

    @Override
    public void alarm(AlarmInfo alarm) throws Exception {
      List<String> entries = pending();
      deliver(entries);
      storage.delete(entries);
    }

    void deliver(List<String> entries) throws Exception {
      outboxes.get().getByName("out").send(entries);
    }
  }

  /** Deletes all: an entry that is added while the outbox is called is lost. */
  class Hasty extends Careful {

    Hasty(ObjectContext context, Supplier<ObjectNamespace<Outbox>> outboxes) {
      super(context, outboxes);
    }

    @Override
    public void alarm(AlarmInfo alarm) throws Exception {
      deliver(pending());
      storage.deleteAll();
    }
  }

  /** The same around work outside of all objects. */
  class HastyOutside extends Hasty {

    HastyOutside(ObjectContext context, Supplier<ObjectNamespace<Outbox>> outboxes) {
      super(context, outboxes);
    }

    @Override
    void deliver(List<String> entries) throws Exception {
      super.deliver(entries);
      context.call(() -> entries.size());
    }
  }
}
