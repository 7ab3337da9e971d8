package dev.holdfast.lint;

import com.sun.source.util.JavacTask;
import com.sun.source.util.Plugin;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Error Prone as a plugin of javac, with its classes loaded once for all modules of a build: {@code
 * -Xplugin:LoadedErrorProne}, with the arguments of {@code -Xplugin:ErrorProne}.
 *
 * <p>Javac makes a class loader of its processor path for each compilation. In Maven's process each
 * module would load Error Prone and NullAway again, and the JVM compile them again: two seconds of
 * processor time, forty times.
 */
public final class LoadedErrorProne implements Plugin {

  /** The key of the class loader in the properties of the JVM, which outlive each compilation. */
  private static final String LOADER = LoadedErrorProne.class.getName();

  /**
   * Checks of libraries that no module calls: Guava, Joda-Time, Guice and Dagger, JUnit 3 and 4,
   * Mockito, Truth, AutoValue, Flogger, Protocol Buffers, RxJava, Android, Error Prone itself. They
   * find nothing here, but each of them looks at each call: a sixth of the processor time of a
   * compilation. A module that takes one of the libraries takes its checks from this list.
   */
  private static final String CHECKS_OF_ABSENT_LIBRARIES =
      """
      ASTHelpersSuggestions AndroidInjectionBeforeSuper AssistedInjectAndInjectOnSameConstructor
      AsyncCallableReturnsNull AsyncFunctionReturnsNull AutoValueBoxedValues
      AutoValueBuilderDefaultsInConstructor AutoValueConstructorOrderChecker AutoValueFinalMethods
      AutoValueImmutableFields AutoValueSubclassLeaked BugPatternNaming BundleDeserializationCast
      CacheLoaderNull CheckNotNullMultipleTimes CloseableProvides DaggerProvidesNull
      DirectInvocationOnMock DoNotMock DoNotMockAutoValue EmptySetMultibindingContributions
      FloggerArgumentToString FloggerFormatString FloggerLogString FloggerLogVarargs
      FloggerPerWithoutRateLimit FloggerSplitLogStatement FloggerStringConcatenation
      FragmentInjection FragmentNotInstantiable FutureTransformAsync
      FuturesGetCheckedIllegalExceptionType GuiceAssistedInjectScoping GuiceAssistedParameters
      GuiceInjectOnFinalField GuiceNestedCombine InjectInvalidTargetingOnScopingAnnotation
      InjectMoreThanOneScopeAnnotationOnClass InjectOnBugCheckers
      InjectOnConstructorOfAbstractClass InjectOnMemberAndConstructor
      InjectScopeAnnotationOnInterfaceOrAbstractClass InjectedConstructorAnnotations
      IsLoggableTagLength JUnit3FloatingPointComparisonWithoutDelta JUnit3TestNotRun
      JUnit4ClassAnnotationNonStatic JUnit4ClassUsedInJUnit3 JUnit4EmptyMethods JUnit4SetUpNotRun
      JUnit4TearDownNotRun JUnit4TestNotRun JUnit4TestsNotRunWithinEnclosed
      JavaxInjectOnAbstractMethod JavaxInjectOnFinalField JodaConstructors JodaDateTimeConstants
      JodaDurationWithMillis JodaInstantWithMillis JodaNewPeriod JodaPlusMinusLong
      JodaTimeConverterManager JodaToSelf JodaWithDurationAddedLong LiteByteStringUtf8
      LiteEnumValueOf LiteProtoToString MemoizeConstantVisitorStateLookups MislabeledAndroidString
      MisplacedScopeAnnotations MissingRefasterAnnotation MockIllegalThrows
      MockNotUsedInProduction MockitoUsage MoreThanOneInjectableConstructor MultimapKeys
      OutlineNone OverlappingQualifierAndScopeAnnotation OverridesGuiceInjectableMethod
      OverridesJavaxInjectableMethod ParcelableCreator PreconditionsCheckNotNullRepeated
      PreconditionsInvalidPlaceholder PreferTestParameter ProtoBuilderReturnValueIgnored
      ProtoDurationGetSecondsGetNano ProtoStringFieldReferenceEquality
      ProtoTimestampGetSecondsGetNano ProtoTruthMixedDescriptors ProtocolBufferOrdinal
      ProvidesMethodOutsideOfModule QualifierOrScopeOnInjectMethod RectIntersectReturnValueIgnored
      RobolectricShadowDirectlyOn RuleNotRun RxReturnValueIgnored StaticMockMember SwigMemoryLeak
      TestParametersNotInitialized TheoryButNoTheories TruthAssertExpected TruthConstantAsserts
      TruthGetOrDefault TruthIncompatibleType UseBinds WakelockReleasedDangerously
      """;

  /** For the service loader of javac. */
  public LoadedErrorProne() {}

  @Override
  public String getName() {
    return "LoadedErrorProne";
  }

  @Override
  public void init(JavacTask task, String... arguments) {
    URL[] path = ((URLClassLoader) getClass().getClassLoader()).getURLs();
    ClassLoader loader =
        (ClassLoader)
            System.getProperties()
                .computeIfAbsent(
                    LOADER + Arrays.toString(path),
                    key -> new URLClassLoader(path, Plugin.class.getClassLoader()));
    useForChecks(task, loader);
    ServiceLoader.load(Plugin.class, loader).stream()
        .map(ServiceLoader.Provider::get)
        .filter(plugin -> plugin.getName().equals("ErrorProne"))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("Error Prone is not on the processor path."))
        .init(task, withoutAbsent(arguments));
  }

  private static String[] withoutAbsent(String... arguments) {
    return Stream.concat(
            CHECKS_OF_ABSENT_LIBRARIES
                .lines()
                .flatMap(line -> Stream.of(line.strip().split(" ", -1)))
                .map(check -> "-Xep:" + check + ":OFF"),
            Stream.of(arguments))
        .toArray(String[]::new);
  }

  /** Error Prone finds further checks, such as NullAway, through the class loader of processors. */
  private static void useForChecks(JavacTask task, ClassLoader loader) {
    try {
      Object context = task.getClass().getMethod("getContext").invoke(task);
      Class<?> processing =
          Class.forName("com.sun.tools.javac.processing.JavacProcessingEnvironment");
      Object environment =
          processing.getMethod("instance", context.getClass()).invoke(null, context);
      Field field = processing.getDeclaredField("processorClassLoader");
      field.setAccessible(true);
      field.set(environment, loader);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "This javac keeps the class loader of its processors elsewhere: use -Xplugin:ErrorProne.",
          e);
    }
  }
}
