package dev.holdfast.crash.nodes;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A fault of the journal of a shard, planted in the classes of the nodes: the crash test must find
 * it. The class of the product is read from the class path, and one with other methods is put
 * before it; the product has no switch for faults.
 */
enum PlantedFault {

  /** A reply leaves when its write is on this node: the gate does not wait for the others. */
  LOCAL_GATE,

  /** A reply that only reads does not wait until it is known that no other node owns the shard. */
  UNPROVEN_READS;

  private static final String CLASS = "dev/holdfast/journal/shard/ShardJournal.class";
  private static final ClassDesc LISTENER =
      ClassDesc.of("dev.holdfast.spi.Journal").nested("DurabilityListener");
  private static final ClassDesc FAILURE = ClassDesc.of("java.lang.RuntimeException");

  private Map<String, Consumer<CodeBuilder>> bodies() {
    return switch (this) {
      case LOCAL_GATE ->
          Map.of(
              "needsProof", PlantedFault::answersFalse,
              "awaitProven", CodeBuilder::return_,
              "awaitDurable", CodeBuilder::return_,
              "whenDurable", PlantedFault::callsListener);
      case UNPROVEN_READS ->
          Map.of("needsProof", PlantedFault::answersFalse, "awaitProven", CodeBuilder::return_);
    };
  }

  String optionName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static PlantedFault ofOption(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** {@return the class with the fault} */
  ReplacedMethods planted() {
    return new ReplacedMethods(CLASS, bodies());
  }

  private static void answersFalse(CodeBuilder code) {
    code.iconst_0().ireturn();
  }

  /** {@code whenDurable(long position, DurabilityListener listener)}. */
  private static void callsListener(CodeBuilder code) {
    code.aload(3)
        .aconst_null()
        .invokeinterface(LISTENER, "settled", MethodTypeDesc.of(ConstantDescs.CD_void, FAILURE))
        .return_();
  }
}
