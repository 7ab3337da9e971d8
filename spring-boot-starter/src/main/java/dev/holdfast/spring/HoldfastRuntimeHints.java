package dev.holdfast.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What is reached by reflection. No native image is promised: the engines load native code. */
final class HoldfastRuntimeHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints.resources().registerPattern("holdfast/*/*.sql");
    hints
        .reflection()
        .registerType(DurableObject.class, MemberCategory.INVOKE_PUBLIC_METHODS)
        .registerType(HoldfastProperties.class, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
  }
}
