package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.util.BitSet;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;

/** Ids of names near other objects, of any name and any bits. */
class NearIdsTest {

  private static final InMemoryJournal JOURNAL = new InMemoryJournal();
  private static final ObjectRuntime RUNTIME =
      new EngineBuilder(
              objects ->
                  objects
                      .namespace("orders", Runnable.class, _ -> () -> {})
                      .namespace("customers", Runnable.class, _ -> () -> {}))
          .backend(StorageKind.SQLITE, new InMemoryBackend(JOURNAL))
          .open(JOURNAL, new VirtualClock(), new SplittableRandom(1));
  private static final ObjectNamespace<Runnable> ORDERS =
      RUNTIME.namespace("orders", Runnable.class);
  private static final ObjectNamespace<Runnable> CUSTOMERS =
      RUNTIME.namespace("customers", Runnable.class);

  @AfterContainer
  static void close() {
    RUNTIME.close();
  }

  @Property
  void idHasTheSlotOfTheOtherAndIsOneOfItsNamespace(
      @ForAll @AlphaChars String name, @ForAll @AlphaChars String other) {
    ObjectId near = CUSTOMERS.idFromName(other);

    ObjectId id = ORDERS.idFromName(name, near);

    assertThat(id.slot()).isEqualTo(near.slot());
    assertThat(id.name()).hasValue(name);
    assertThat(ORDERS.idFromString(id.toString())).isEqualTo(id);
    assertThat(ORDERS.idFromName(name, id)).isEqualTo(id);
    assertThat(ORDERS.idFromName(name, ORDERS.idFromName(name))).isEqualTo(ORDERS.idFromName(name));
  }

  @Property
  void onlyTheSlotOfTheFirstHalfIsNotThatOfTheName(
      @ForAll @AlphaChars String name, @ForAll @Size(ObjectId.LENGTH_BYTES) byte[] bits) {
    ObjectId near = ObjectId.of(bits, null);
    byte[] plain = ORDERS.idFromName(name).toBytes();

    byte[] made = ORDERS.idFromName(name, near).toBytes();

    for (int bit = 0; bit < Byte.SIZE * ObjectId.LENGTH_BYTES / 2; bit++) {
      assertThat(bit(made, bit))
          .as("bit " + bit)
          .isEqualTo(bit(bit < ObjectId.SLOT_BITS ? bits : plain, bit));
    }
  }

  /** {@return a bit, counted from the first one, which is the highest of the first byte} */
  private static boolean bit(byte[] bytes, int at) {
    return BitSet.valueOf(new byte[] {bytes[at / Byte.SIZE]}).get(Byte.SIZE - 1 - at % Byte.SIZE);
  }
}
