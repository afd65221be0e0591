// The test is that the generated files beside this one compile and link: no header defines anything twice.
int main() { return 0; }
