package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.spi.Journal;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Memory runs out in a wait of a transaction: its thread goes on without a turn. */
final class LostTransactionTest {

  @Test
  void nobodyIsAnsweredFromATransactionWhoseThreadHasLostItsTurn() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    AtomicBoolean noMemory = new AtomicBoolean();
    Journal failing =
        (Journal)
            Proxy.newProxyInstance(
                Journal.class.getClassLoader(),
                new Class<?>[] {Journal.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("awaitDurable") && noMemory.getAndSet(false)) {
                    throw new OutOfMemoryError("planned");
                  }
                  try {
                    return method.invoke(journal, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    InMemoryBackend backend = new InMemoryBackend(journal);
    backend.recover(journal);
    List<Thing.Script<?>> scripts = new CopyOnWriteArrayList<>();
    CountDownLatch caught = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ObjectRuntime runtime =
        new EngineBuilder(
                objects ->
                    objects.namespace(
                        "things",
                        Thing.class,
                        context -> {
                          Thing.State state = new Thing.State();
                          return script -> scripts.get(script).run(state, context);
                        },
                        NamespaceOptions.DEFAULT))
            .backend(StorageKind.SQLITE, backend)
            .open(failing, new VirtualClock(), new SplittableRandom(1));
    scripts.add(
        (_, context) -> {
          context.storage().put("key", 1L); // sealed before the transaction, and not durable
          try {
            return context
                .storage()
                .transaction(
                    txn -> {
                      txn.put("other", 2L);
                      noMemory.set(true);
                      return context.call(() -> "called"); // finds no memory in its wait
                    });
          } catch (Throwable e) {
            caught.countDown();
            goOn.await(); // code that goes on in spite of the error
            return "went on after " + e;
          }
        });
    scripts.add(
        (_, context) -> {
          context.storage().put("mine", 3L, WriteOptions.DEFAULT);
          return "acknowledged";
        });
    Thing thing = runtime.namespace("things", Thing.class).getByName("a");
    AtomicReference<Throwable> firstFailure = new AtomicReference<>();
    Thread first =
        Thread.startVirtualThread(
            () -> {
              try {
                thing.run(0);
              } catch (Exception e) {
                firstFailure.set(e);
              }
            });
    caught.await();
    AtomicReference<Object> replied = new AtomicReference<>();
    Thread second =
        Thread.startVirtualThread(
            () -> {
              try {
                replied.set(thing.run(1));
              } catch (Exception e) {
                replied.set(e);
              }
            });
    while (second.isAlive()) {
      journal.makeAllDurable();
    }
    Object reply = replied.get();
    boolean isInJournal = journal.durablePosition() >= 2;
    goOn.countDown();
    journal.makeAllDurable();
    first.join();
    assertThat(firstFailure.get()).isInstanceOf(InstanceResetException.class);
    assertThat(reply).isEqualTo("acknowledged");
    assertThat(isInJournal).as("what was acknowledged is in the journal").isTrue();
  }
}
