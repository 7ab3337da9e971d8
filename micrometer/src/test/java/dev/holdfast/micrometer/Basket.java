package dev.holdfast.micrometer;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import java.time.Instant;

/** An object for tests: each method provokes something that is measured. */
interface Basket {

  String NAMESPACE = "baskets";

  void add(String item);

  long size();

  void fail();

  void abort();

  /** Has another basket add an item. */
  void passOn(String other, String item);

  /** Has another basket add an item, by an asynchronous call. */
  void passOnLater(String other, String item);

  /** Adds an item at a time. */
  void remind(Instant time);

  /** Registers the namespace of the baskets. */
  static ObjectRegistrar register(ObjectRegistrar objects) {
    return objects.namespace(NAMESPACE, Basket.class, BasketObject::new);
  }

  /** The object. */
  record BasketObject(ObjectContext context) implements Basket, AlarmHandler {

    @Override
    public void add(String item) {
      long before = context.storage().get(item, Long.class).orElse(0L);
      context.storage().put(item, before + 1);
    }

    @Override
    public long size() {
      return context.storage().list(Long.class).size();
    }

    @Override
    public void fail() {
      throw new IllegalStateException("The basket is broken");
    }

    @Override
    public void abort() {
      throw context.abort("The basket is gone");
    }

    @Override
    public void passOn(String other, String item) {
      context.namespace(NAMESPACE, Basket.class).getByName(other).add(item);
    }

    @Override
    public void passOnLater(String other, String item) {
      context.await(
          context
              .namespace(NAMESPACE, Basket.class)
              .stub(other)
              .async(
                  basket -> {
                    basket.add(item);
                    return item;
                  }));
    }

    @Override
    public void remind(Instant time) {
      context.storage().setAlarm(time);
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      add("reminded");
    }
  }
}
