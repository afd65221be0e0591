/* A library that is nothing but a name for another, of which it needs one function (DETMPI_NEEDED) so that the linker
 * keeps the dependency. */
extern void DETMPI_NEEDED(void);
__attribute__((used)) static void (*const needed)(void) = DETMPI_NEEDED;
